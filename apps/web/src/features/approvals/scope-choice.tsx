import type { BacktestResult, NewRule, WaitingCall } from '@polylogue/client/console'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { spellOutLine } from '../../model/console-contract.ts'
import { describeRule } from '../../model/proposed-rule.ts'
import { useModel } from '../../ui/model-context.tsx'

/** `once`, `rule`, or the id of an offer of the call. */
export type Scope = string

interface ScopeChoiceProps {
  readonly call: WaitingCall
  readonly rule: NewRule | undefined
  readonly scope: Scope
  readonly onChoose: (scope: Scope) => void
}

/** How far an *Allow* reaches. What it would cover is shown before it is given. */
export function ScopeChoice({ call, rule, scope, onChoose }: ScopeChoiceProps) {
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
      {rule === undefined ? null : (
        <ScopeOption value="rule" chosen={scope} onChoose={onChoose} label={t('scopeRule')}>
          <code>{spellOutLine(describeRule(rule))}</code>
          {scope === 'rule' ? <Backtest rule={rule} /> : null}
        </ScopeOption>
      )}
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
}

function ScopeOption({ value, chosen, label, onChoose, children }: ScopeOptionProps) {
  return (
    <label className="scope-option">
      <input type="radio" name="scope" value={value} checked={value === chosen} onChange={() => onChoose(value)} />
      <span>
        {label} {children}
      </span>
    </label>
  )
}

/** What the rule would have made of the calls that were made. */
function Backtest({ rule }: { readonly rule: NewRule }) {
  const { t } = useTranslation()
  const model = useModel()
  const [result, setResult] = useState<BacktestResult>()
  const [problem, setProblem] = useState<string>()
  const key = JSON.stringify(rule)
  useEffect(() => {
    let isCurrent = true
    const test = async (): Promise<void> => {
      const api = await model.api()
      const answer = await api.backtestRule({ body: { rule } })
      if (isCurrent) setResult(answer)
    }
    test().catch((error: unknown) => isCurrent && setProblem(error instanceof Error ? error.message : String(error)))
    return () => void (isCurrent = false)
  }, [model, key])
  if (problem !== undefined) return <span className="backtest">{problem}</span>
  if (result === undefined) return <span className="backtest quiet">…</span>
  return (
    <span className="backtest" data-backtest>
      {t('backtest', { allow: result.totals.allow, changed: result.changed, looked: result.looked })}
    </span>
  )
}
