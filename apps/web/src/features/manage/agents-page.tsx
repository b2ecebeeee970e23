import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { SERVER_KEY } from '../../model/console-model.ts'
import { useModel, useSnapshot } from '../../ui/model-context.tsx'
import { spellBidi } from '../../ui/spell-bidi.ts'

/** The agents of this server and the models that a session can have. The configuration sets them. */
export function AgentsPage() {
  const { t } = useTranslation()
  const model = useModel()
  const server = useSnapshot(SERVER_KEY, () => model.server)
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
                <b>{spellBidi(name)}</b> <code className="quiet">{id}</code>
                {id === status.defaultAgent ? <span className="tag plain">{t('usual')}</span> : null}
                {status.demoAgents?.includes(id) === true ? <span className="tag plain">{t('demo')}</span> : null}
              </td>
              <td>
                {spellBidi(description)}
                {roles.length === 0 ? null : (
                  <small className="quiet"> {roles.map((role) => spellBidi(role.name)).join(', ')}</small>
                )}
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
      <h2 className="tasks-title manage-note">{t('models')}</h2>
      {models.length === 0 ? <p className="empty">{t('noModels')}</p> : null}
      <table className="manage-table">
        <tbody>
          {models.map(({ id, name }) => (
            <tr key={id}>
              <td>{spellBidi(name)}</td>
              <td>
                <code className="quiet">{id}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}
