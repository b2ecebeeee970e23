import type { RuleProposal, WaitingCall } from '@polylogue/client/console'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { spellOutLine } from '../../model/console-contract.ts'
import { describeRule, isSimpleRule } from '../../model/describe-rule.ts'

/** `once`, the id of an offer of the call, or `rule:` with the place of a proposed rule. */
export type Scope = string

const RULE = 'rule:'

/** The rule that a scope adds. */
export function proposalOf(proposals: readonly RuleProposal[], scope: Scope): RuleProposal | undefined {
  return scope.startsWith(RULE) ? proposals[Number(scope.slice(RULE.length))] : undefined
}

interface ScopeChoiceProps {
  readonly call: WaitingCall
  readonly proposals: readonly RuleProposal[]
  readonly scope: Scope
  readonly onChoose: (scope: Scope) => void
}

/** How far an *Allow* reaches. What it would cover is shown before it is given; the server says what that is. */
export function ScopeChoice({ call, proposals, scope, onChoose }: ScopeChoiceProps) {
  const { t } = useTranslation()
  const { approval } = call
  const offers = approval?.isCoverable === true ? approval.offers : []
  return (
    <fieldset className="scope">
      <legend className="visually-hidden">{t('scope')}</legend>
      <ScopeOption value="once" chosen={scope} onChoose={onChoose} label={t('scopeOnce')} />
      {offers.map((offer) => (
        <ScopeOption
          key={offer.id}
          value={offer.id}
          chosen={scope}
          onChoose={onChoose}
          label={`${t(offer.scope === 'project' ? 'scopeProject' : 'scopeSession')}:`}
        >
          <OfferWords what={offer.what} />
        </ScopeOption>
      ))}
      {proposals.map(({ rule, totals, changed, looked }, index) => (
        <ScopeOption
          key={index}
          value={`${RULE}${index}`}
          chosen={scope}
          onChoose={onChoose}
          label={t('scopeRule')}
          below={
            <span className="backtest" data-backtest>
              {t('backtest', { allow: totals.allow, changed, looked })}
              {scope !== `${RULE}${index}` || !isSimpleRule(rule) ? null : (
                <Link href={`/manage/rules?rule=${encodeURIComponent(JSON.stringify(rule))}`}>{t('editRule')}</Link>
              )}
            </span>
          }
        >
          <code>{spellOutLine(describeRule(rule))}</code>
        </ScopeOption>
      ))}
    </fieldset>
  )
}

type Offer = NonNullable<WaitingCall['approval']>['offers'][number]

/** What an offer covers. */
function OfferWords({ what }: { readonly what: Offer['what'] }) {
  const { t } = useTranslation()
  switch (what.type) {
    case 'call':
      return what.command === undefined ? t('coversCall') : <code>{spellOutLine(what.command)}</code>
    case 'program':
      return (
        <>
          <code>{spellOutLine(what.program)}</code> {t('anyArguments')}
        </>
      )
    case 'tool': {
      const tool = spellOutLine(what.tool)
      return what.exceptDangerous ? t('coversToolSafe', { tool }) : t('coversTool', { tool })
    }
  }
}

interface ScopeOptionProps {
  readonly value: Scope
  readonly chosen: Scope
  readonly label: string
  readonly onChoose: (scope: Scope) => void
  readonly children?: React.ReactNode
  /** Not part of the label. */
  readonly below?: React.ReactNode
}

function ScopeOption({ value, chosen, label, onChoose, children, below }: ScopeOptionProps) {
  return (
    <div className="scope-option">
      <label>
        <input type="radio" name="scope" value={value} checked={value === chosen} onChange={() => onChoose(value)} />
        <span>
          {label} {children}
        </span>
      </label>
      {below}
    </div>
  )
}
