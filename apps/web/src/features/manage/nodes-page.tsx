import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { formatAge } from '../../ui/format.ts'
import { spellBidi } from '../../ui/spell-bidi.ts'
import { Problem } from './problem.tsx'
import { useAnswer } from './use-answer.ts'

const EVERY_MS = 2_000

/** The servers that share this database, and how many sessions each runs. For the operator. */
export function NodesPage() {
  const { t, i18n } = useTranslation()
  const { value, problem, reload } = useAnswer('nodes', (api) => api.readNodes())
  useEffect(() => {
    const timer = setInterval(reload, EVERY_MS)
    return () => clearInterval(timer)
  }, [reload])
  return (
    <>
      <Problem text={problem} />
      <table className="manage-table nodes-table">
        <thead>
          <tr>
            <th>{t('node')}</th>
            <th>{t('role')}</th>
            <th>{t('nodeState')}</th>
            <th>{t('nodeSessions')}</th>
            <th>{t('nodeStarted')}</th>
          </tr>
        </thead>
        <tbody>
          {value?.nodes.map(({ nodeId, role, version, machine, pid, startedAt, isAlive, isSelf, sessions }) => (
            <tr key={nodeId} data-node={nodeId}>
              <td translate="no">
                <b>{spellBidi(machine)}</b> <span className="quiet mono">{pid}</span>{' '}
                <small className="quiet mono">{version}</small>
              </td>
              <td translate="no">{role}</td>
              <td>
                <span className={`mcp-state ${isAlive ? 'ready' : 'failed'}`}>
                  {t(isAlive ? 'nodeAlive' : 'nodeGone')}
                </span>{' '}
                {isSelf ? <span className="tag plain">{t('nodeSelf')}</span> : null}
              </td>
              <td className="mono">{sessions}</td>
              <td>{formatAge(new Date(startedAt).toISOString(), i18n.language)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="quiet manage-note">{t('nodesNote')}</p>
    </>
  )
}
