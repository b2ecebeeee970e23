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
          label={`${t(offer.id.endsWith('-project') ? 'scopeProject' : 'scopeSession')}:`}
        >
          <OfferWords tool={call.name} offer={offer} />
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

interface OfferWordsProps {
  readonly tool: string
  readonly offer: { readonly id: string; readonly label: string }
}

/** What an offer covers. The server's sentence names the command between back quotes. */
function OfferWords({ tool, offer: { id, label } }: OfferWordsProps) {
  const { t } = useTranslation()
  const command = /`(.+)`/s.exec(label)?.[1] ?? label
  if (id.startsWith('tool')) return label.includes('except') ? t('coversToolSafe', { tool }) : t('coversTool', { tool })
  return (
    <>
      <code>{spellOutLine(command)}</code> {id.startsWith('program') ? t('anyArguments') : null}
    </>
  )
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
