import type { BacktestResult, NewRule, StoredRule } from '@polylogue/client/console'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearch } from 'wouter'
import { describeRule, isSimpleRule } from '../../model/describe-rule.ts'
import { isObject } from '../../model/http.ts'
import { spellBidi } from '../../ui/spell-bidi.ts'
import { MODES } from '../chat/mode-pick.tsx'
import { Problem } from './problem.tsx'
import { useAnswer } from './use-answer.ts'

/** Rules in the order in which they are tried. What a new one would have changed is shown before it is added. */
export function RulesPage() {
  const { t } = useTranslation()
  const { value, problem, run } = useAnswer('rules', (api) => api.listRules())
  const search = useSearch()
  const [given] = useState(() => ruleIn(search))
  const [tool, setTool] = useState(given.tool)
  const [arg, setArg] = useState(given.arg)
  const [action, setAction] = useState(given.action)
  const [tested, setTested] = useState<BacktestResult>()
  /** The rule that is being changed. */
  const [edited, setEdited] = useState<string>()
  const [name = '', ...pattern] = arg.split('=')
  const rule: NewRule = {
    tool: tool.trim(),
    action,
    ...(arg.includes('=') && { args: { [name.trim()]: pattern.join('=').trim() } }),
  }
  const test = (): Promise<void> => run(async (api) => setTested(await api.backtestRule({ body: { rule } })))
  const clear = (): void => {
    setTested(undefined)
    setEdited(undefined)
    setTool('')
    setArg('')
  }
  const save = (): Promise<void> =>
    run(async (api) => {
      await (edited === undefined ? api.addRule({ body: rule }) : api.changeRule({ id: edited, body: rule }))
      clear()
    })
  const edit = (stored: StoredRule): void => {
    const [first] = Object.entries(stored.args ?? {})
    setEdited(stored.id)
    setTested(undefined)
    setAction(stored.action)
    setTool(stored.tool)
    setArg(first === undefined ? '' : first.join('='))
  }
  const rules = value?.rules ?? []
  const move = (from: number, to: number): Promise<void> => {
    const ids = rules.map(({ id }) => id)
    ids.splice(to, 0, ...ids.splice(from, 1))
    return run((api) => api.arrangeRules({ body: { ids } }))
  }
  const isEmpty = tool.trim() === ''
  return (
    <>
      <form
        className="manage-add"
        onSubmit={(event) => {
          event.preventDefault()
          void (tested === undefined ? test() : save())
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
          translate="no"
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
          translate="no"
          value={arg}
          onChange={(event) => {
            setArg(event.target.value)
            setTested(undefined)
          }}
        />
        <button type="submit" className="button ink" disabled={isEmpty}>
          {tested === undefined ? t('tryRule') : edited === undefined ? t('addRule') : t('saveRule')}
        </button>
        {edited === undefined ? null : (
          <button type="button" className="button" onClick={clear}>
            {t('cancel')}
          </button>
        )}
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
          {rules.map((stored, index) => (
            <tr key={stored.id} data-rule={stored.id} data-edited={stored.id === edited || undefined}>
              <td className="quiet">{index + 1}</td>
              <td>
                <b className={`rule-action ${stored.action}`}>{t(stored.action)}</b>
              </td>
              <td>
                <code>{spellBidi(describeRule(stored))}</code>
              </td>
              <td className="manage-actions">
                <button
                  type="button"
                  className="button bare icon"
                  aria-label={`${t('moveUp')}: ${index + 1}`}
                  disabled={index === 0}
                  onClick={() => void move(index, index - 1)}
                >
                  <ArrowUp size={14} aria-hidden />
                </button>
                <button
                  type="button"
                  className="button bare icon"
                  aria-label={`${t('moveDown')}: ${index + 1}`}
                  disabled={index === rules.length - 1}
                  onClick={() => void move(index, index + 1)}
                >
                  <ArrowDown size={14} aria-hidden />
                </button>
                {isSimpleRule(stored) ? (
                  <button type="button" className="button" onClick={() => edit(stored)}>
                    {t('edit')}
                  </button>
                ) : null}
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
          {t('ceiling', { preset: t(MODES[value.operator.ceiling]), count: value.operator.deny.length })}
        </p>
      )}
    </>
  )
}

/** The rule that the address brings, from the card of a call. */
function ruleIn(search: string): { readonly tool: string; readonly arg: string; readonly action: string } {
  const rule = parse(new URLSearchParams(search).get('rule'))
  const [first] = Object.entries(isObject(rule['args']) ? rule['args'] : {})
  return {
    tool: typeof rule['tool'] === 'string' ? rule['tool'] : '',
    arg: first === undefined ? '' : first.join('='),
    action: rule['action'] === 'allow' || rule['action'] === 'deny' ? rule['action'] : 'ask',
  }
}

function parse(text: string | null): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? '{}')
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}
