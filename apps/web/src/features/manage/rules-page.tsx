import type { BacktestResult, NewRule } from '@polylogue/console/client'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { describeRule } from '../../model/proposed-rule.ts'
import { spellBidi } from '../../ui/spell-bidi.ts'
import { Problem } from './problem.tsx'
import { useAnswer } from './use-answer.ts'

/** Rules in the order in which they are tried. What a new one would have changed is shown before it is added. */
export function RulesPage() {
  const { t } = useTranslation()
  const { value, problem, run } = useAnswer('rules', (api) => api.listRules())
  const [tool, setTool] = useState('')
  const [arg, setArg] = useState('')
  const [action, setAction] = useState('ask')
  const [tested, setTested] = useState<BacktestResult>()
  const [name = '', ...pattern] = arg.split('=')
  const rule: NewRule = {
    tool: tool.trim(),
    action,
    ...(arg.includes('=') && { args: { [name.trim()]: pattern.join('=').trim() } }),
  }
  const test = (): Promise<void> => run(async (api) => setTested(await api.backtestRule({ body: { rule } })))
  const add = (): Promise<void> =>
    run(async (api) => {
      await api.addRule({ body: rule })
      setTested(undefined)
      setTool('')
      setArg('')
    })
  const isEmpty = tool.trim() === ''
  return (
    <>
      <form
        className="manage-add"
        onSubmit={(event) => {
          event.preventDefault()
          void (tested === undefined ? test() : add())
        }}
      >
        <select
          className="field"
          aria-label={t('action')}
          value={action}
          onChange={(event) => setAction(event.target.value)}
        >
          <option value="allow">{t('allow')}</option>
          <option value="ask">{t('ask')}</option>
          <option value="deny">{t('deny')}</option>
        </select>
        <input
          className="field"
          aria-label={t('tool')}
          placeholder="Bash"
          value={tool}
          onChange={(event) => {
            setTool(event.target.value)
            setTested(undefined)
          }}
        />
        <input
          className="field manage-wide"
          aria-label={t('argument')}
          placeholder="command=^npm test$"
          value={arg}
          onChange={(event) => {
            setArg(event.target.value)
            setTested(undefined)
          }}
        />
        <button type="submit" className="button ink" disabled={isEmpty}>
          {tested === undefined ? t('tryRule') : t('addRule')}
        </button>
      </form>
      {tested === undefined ? null : (
        <p className="made-key" role="status" data-backtest>
          {t('backtestAll', {
            looked: tested.looked,
            allow: tested.totals.allow,
            ask: tested.totals.ask,
            deny: tested.totals.deny,
            changed: tested.changed,
          })}
          {tested.warnings.map((warning) => (
            <span key={warning}> {warning}</span>
          ))}
        </p>
      )}
      <Problem text={problem} />
      {value?.rules.length === 0 ? <p className="empty">{t('noRules')}</p> : null}
      <table className="manage-table">
        <tbody>
          {value?.rules.map((stored, index) => (
            <tr key={stored.id}>
              <td className="quiet">{index + 1}</td>
              <td>
                <b>{stored.action}</b>
              </td>
              <td>
                <code>{spellBidi(describeRule(stored))}</code>
              </td>
              <td>
                <button
                  type="button"
                  className="button bad"
                  onClick={() => void run((api) => api.removeRule({ id: stored.id }))}
                >
                  {t('remove')}
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {value === undefined ? null : (
        <p className="quiet manage-note">
          {t('ceiling', { preset: value.operator.ceiling, count: value.operator.deny.length })}
        </p>
      )}
    </>
  )
}
