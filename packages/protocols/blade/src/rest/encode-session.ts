import { toReadable, type AgentCatalog, type AgentDefinition, type SessionView, type UserId } from '@polylogue/engine'
import { toEndStatus } from '../projection/session-status.ts'
import type { Session, SessionDetail, SessionStatus, Solution } from '../wire.ts'
import { toTime } from '../schema/fields.ts'

/** The label that stores `is_persistent`. */
export const PERSISTENT_LABEL = 'blade.isPersistent'

const LAYOUT = 'default'

type Agents = Pick<AgentCatalog, 'find'>

export function toSession(view: SessionView, agents: Agents): Session {
  return {
    id: view.sessionId,
    intent: toReadable(view.title ?? ''),
    status: toSessionStatus(view),
    created_at: toTime(view.createdAt),
    updated_at: toTime(view.updatedAt),
    user_id: view.userId,
    solution_id: view.agent,
    biz_role_id: view.role ?? null,
    model: view.model ?? agents.find(view.agent)?.modelName ?? null,
    thinking: view.thinking ?? null,
    shared: view.isShared,
    is_pinned: view.isPinned,
    memory_enabled: view.recallsMemories,
    is_persistent: view.labels[PERSISTENT_LABEL] === 'true',
    replay_state: null,
  }
}

export function toSessionDetail(view: SessionView, viewer: UserId, agents: Agents): SessionDetail {
  const agent = agents.find(view.agent)
  const role = agent?.roles?.find(({ id }) => id === view.role)
  return {
    ...toSession(view, agents),
    solution: agent === undefined ? null : toSolution(agent),
    primary_skill_snapshot: null,
    session_setup: {
      mode: view.preset === 'plan' ? 'planning' : 'executing',
      layout_type: LAYOUT,
      initial_message: role?.firstMessage ?? null,
      disable_tools: view.disabledTools,
    },
    viewer_role: view.userId === viewer ? 'owner' : 'viewer',
  }
}

/** The fields that lists and details share. */
export function toSessionStatus({ status, lastOutcome }: Pick<SessionView, 'status' | 'lastOutcome'>): SessionStatus {
  if (status === 'running') return 'running'
  if (status === 'waiting') return 'waiting_for_input'
  return lastOutcome === undefined ? 'created' : toEndStatus(lastOutcome)
}

/** Blade calls an agent a solution. */
export function toSolution({ name, title, version, description, roles = [] }: AgentDefinition): Solution {
  return {
    id: name,
    name: title ?? name,
    version,
    description: description ?? '',
    layout_type: LAYOUT,
    initial_message: null,
    data: null,
    roles: roles.map((role) => ({
      id: role.id,
      name: role.name,
      description: role.description ?? '',
      initial_mode: role.isPlanning === true ? 'planning' : 'executing',
      initial_message: role.firstMessage ?? null,
    })),
  }
}
