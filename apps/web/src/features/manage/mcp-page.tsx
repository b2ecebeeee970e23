import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { spellBidi } from '../../ui/spell-bidi.ts'
import { Problem } from './problem.tsx'
import { useAnswer } from './use-answer.ts'

const EVERY_MS = 2_000

/** In the configuration of the server. */
const EXAMPLE = "mcpServers: { tickets: { command: 'tickets-mcp' } }"

const STATES = { connecting: 'mcpConnecting', ready: 'mcpReady', failed: 'mcpFailed', closed: 'mcpClosed' } as const
const isState = (state: string): state is keyof typeof STATES => state in STATES

/** The MCP servers of this server, and how they are. */
export function McpPage() {
  const { t } = useTranslation()
  const { value, problem, reload } = useAnswer('mcp', (api) => api.readMcp())
  useEffect(() => {
    const timer = setInterval(reload, EVERY_MS)
    return () => clearInterval(timer)
  }, [reload])
  return (
    <>
      <Problem text={problem} />
      {value?.servers.length === 0 ? (
        <p className="empty">
          {t('noMcp')} <code>{EXAMPLE}</code>
        </p>
      ) : null}
      <table className="manage-table">
        <tbody>
          {value?.servers.map(({ name, state, tools, lastError }) => (
            <tr key={name} data-mcp={name}>
              <td>
                <b>{name}</b>
              </td>
              <td>
                <span className={`mcp-state ${state}`}>{isState(state) ? t(STATES[state]) : state}</span>
              </td>
              <td>{t('toolCount', { count: tools })}</td>
              <td className="quiet">{lastError === undefined ? '' : spellBidi(lastError)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}
