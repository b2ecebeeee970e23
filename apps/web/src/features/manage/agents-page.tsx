import type { AgentCard } from '@polylogue/client/console'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { serverSentence } from '../../i18n/server-sentence.ts'
import { SERVER_KEY } from '../../model/console-model.ts'
import { useModel, useSnapshot } from '../../ui/model-context.tsx'
import { spellBidi } from '../../ui/spell-bidi.ts'
import { MODES, PRESETS } from '../chat/mode-pick.tsx'
import { useAnswer } from './use-answer.ts'

/** The agents of this server and the models that a session can have. The configuration sets them. */
export function AgentsPage() {
  const { t } = useTranslation()
  const model = useModel()
  const server = useSnapshot(SERVER_KEY, () => model.server)
  const { value } = useAnswer('agents', (api) => api.listAgents())
  if (server === undefined) return null
  const { agents, models, status } = server
  return (
    <>
      <table className="manage-table agents-table">
        <thead>
          <tr>
            <th>{t('agentWord')}</th>
            <th>{t('description')}</th>
            <th aria-label={t('sessions')} />
          </tr>
        </thead>
        <tbody>
          {agents.map(({ id, name, description, roles }) => (
            <tr key={id} data-agent={id}>
              <td>
                <b translate="no">{spellBidi(name)}</b> <code className="quiet">{id}</code>
                {id === status.defaultAgent ? <span className="tag plain">{t('usual')}</span> : null}
                {status.demoAgents?.includes(id) === true ? <span className="tag plain">{t('demo')}</span> : null}
              </td>
              <td>
                {spellBidi(serverSentence(description))}
                {roles.length === 0 ? null : (
                  <small className="quiet"> {roles.map((role) => spellBidi(role.name)).join(', ')}</small>
                )}
                <AgentTools agent={value?.agents.find((agent) => agent.name === id)} />
              </td>
              <td>
                <Link href={`/sessions?agent=${encodeURIComponent(id)}`} className="button">
                  {t('sessions')}
                </Link>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <h2 className="manage-title">{t('models')}</h2>
      {models.length === 0 ? <p className="empty">{t('noModels')}</p> : null}
      <table className="manage-table">
        <tbody>
          {models.map(({ id, name }) => (
            <tr key={id}>
              <td translate="no">{spellBidi(name)}</td>
              <td>{id === name ? null : <code className="quiet">{id}</code>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}

/** What each mode decides about the calls of an agent's tools. */
function AgentTools({ agent }: { readonly agent: AgentCard | undefined }) {
  const { t } = useTranslation()
  if (agent === undefined || agent.tools.length === 0) return null
  return (
    <details className="agent-tools">
      <summary>{t('toolCount', { count: agent.tools.length })}</summary>
      <table>
        <thead>
          <tr>
            <th>{t('tool')}</th>
            {PRESETS.map((mode) => (
              <th key={mode}>{t(MODES[mode])}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {agent.tools.map(({ name, verdicts }) => (
            <tr key={name}>
              <td translate="no">{name}</td>
              {PRESETS.map((mode) => (
                <td key={mode}>
                  {verdicts[mode].map((verdict, index) => (
                    <span key={verdict} className={verdict}>
                      {index === 0 ? '' : ' / '}
                      {verdict === 'disabled' ? '–' : t(verdict)}
                    </span>
                  ))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}
