import type { Engine, SessionId, UserId } from '@polylogue/engine'
import { attachProjection } from '../projection/attach-projection.ts'
import { toPayload } from '../projection/projected-output.ts'
import type { Describe } from '../projection/scene.ts'
import type { SessionProjection } from '../projection/session-projection.ts'
import type { BladeOutput, TurnProjection } from '../wire.ts'

export const plainDescribe: Describe = {
  toolTitle: (_agent, tool) => (tool === 'Bash' ? 'Run a command' : undefined),
  contextWindow: () => 200_000,
  directoryOf: () => '/work',
}

/** What clients of one kind are told of a session from now on. */
export interface Watched {
  readonly plain: readonly BladeOutput[]
  readonly lean: readonly BladeOutput[]
  readonly projection: SessionProjection
  /** The turns that were open when it began. */
  readonly start: readonly TurnProjection[]
  /** The order of things, shortly: `turn:start user`, `patch add_content`, … */
  story(): readonly string[]
  detach(): void
}

export async function watchSession(engine: Engine, userId: UserId, sessionId: SessionId): Promise<Watched> {
  const plain: BladeOutput[] = []
  const lean: BladeOutput[] = []
  const source = { engine, userId, sessionId, describe: plainDescribe }
  const { projection, detach } = await attachProjection(source, {
    told(output) {
      plain.push(structuredClone({ event: output.event, payload: toPayload(output, 'plain') }) as BladeOutput)
      lean.push(structuredClone({ event: output.event, payload: toPayload(output, 'lean') }) as BladeOutput)
    },
    closed: () => undefined,
  })
  // The turns already contain the events of the meantime.
  plain.length = 0
  lean.length = 0
  return { plain, lean, projection, start: projection.turns, story: () => lean.map(summarizeOutput), detach }
}

/** What an event says that matters for the order of things. */
export function summarizeOutput({ event, payload }: BladeOutput): string {
  switch (event) {
    case 'turn:start':
    case 'turn:end':
      return `${event} ${payload.role}${payload.kind === 'compaction' ? ' compaction' : ''} ${payload.status}`
    case 'turn:patch':
      return `${payload.patch_type} ${detailOf(payload)}`.trim()
    case 'chat:end':
      return `chat:end ${payload.status}/${String(payload.finish_reason)}`
    default:
      return event
  }
}

function detailOf(payload: Extract<BladeOutput, { event: 'turn:patch' }>['payload']): string {
  switch (payload.patch_type) {
    case 'add_content':
      return payload.data.type
    case 'add_tool_call':
      return `${payload.data.id} ${payload.data.status}`
    case 'tool_result':
    case 'set_tool_status':
      return `${payload.data.tool_call_id} ${payload.data.status}`
    case 'set_status':
      return payload.data.status
  }
}
