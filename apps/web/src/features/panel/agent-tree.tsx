import type { UsageReport } from '@polylogue/client/console'
import { Square } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { serverSentence } from '../../i18n/server-sentence.ts'
import { headKey } from '../../model/open-session.ts'
import type { AgentNode } from '../../model/session-outline.ts'
import type { TurnSource } from '../../model/turn-source.ts'
import { formatDuration } from '../../ui/format.ts'
import { formatCost } from '../../ui/format-cost.ts'
import { useModel, useSnapshot } from '../../ui/model-context.tsx'
import { spellBidi } from '../../ui/spell-bidi.ts'

interface AgentTreeProps {
  readonly session: TurnSource
  readonly agents: readonly AgentNode[]
}

/** Each sub-agent below the one that started it, with its state, its calls and its cost. */
export function AgentTree({ session, agents }: AgentTreeProps) {
  return (
    <ul className="agent-tree">
      {agents.map((agent) => (
        <li key={agent.call.id}>
          <AgentLine session={session} agent={agent} />
          {agent.children.length === 0 ? null : <AgentTree session={session} agents={agent.children} />}
        </li>
      ))}
    </ul>
  )
}

function AgentLine({ session, agent }: { readonly session: TurnSource; readonly agent: AgentNode }) {
  const { t, i18n } = useTranslation()
  const model = useModel()
  const spent = useSnapshot(headKey(session.id), () => session.head?.spent)
  const { call, title, calls } = agent
  const isRunning = call.status === 'pending' || call.status === 'awaiting_answer'
  const words = {
    pending: t('running'),
    awaiting_answer: t('waits'),
    done: t('done'),
    error: t('failed'),
    cancelled: t('cancelled'),
  }
  const stop = (): void =>
    void model.api().then((api) => api.cancelCall({ id: session.id, call: call.id, body: {} }).catch(() => undefined))
  return (
    <div className="agent-line" data-agent={call.id} data-status={call.status}>
      <span className="agent-name">
        <b>{spellBidi(title === '' ? serverSentence(call.display_name) : title)}</b>
        <small className="quiet">
          <span className={call.status === 'awaiting_answer' ? 'agent-waits' : ''}>{words[call.status]}</span>
          <span>{t('madeCalls', { count: calls })}</span>
          {call.duration_ms === null ? null : <span>{formatDuration(call.duration_ms, i18n.language)}</span>}
          <Cost spent={spent} loopId={agent.loopId} />
        </small>
      </span>
      {isRunning && session.mayChange ? (
        <button
          type="button"
          className="button bare icon"
          aria-label={`${t('stop')}: ${title}`}
          title={t('stop')}
          onClick={stop}
        >
          <Square size={11} fill="currentColor" aria-hidden />
        </button>
      ) : null}
    </div>
  )
}

interface CostProps {
  readonly spent: UsageReport | undefined
  readonly loopId: string | undefined
}

/** With what its own sub-agents spent. */
function Cost({ spent, loopId }: CostProps) {
  const { i18n } = useTranslation()
  const row = spent?.rows.find(({ subAgents }) => subAgents?.[0] === loopId)
  return row === undefined ? null : <span>{formatCost(row.withSubAgents ?? row, i18n.language)}</span>
}
