import type { Blob, LogEntry, ModelCatalog, Recorded, RecordedEvent, SessionId } from '@polylogue/engine'
import { STANDARD_CLIENT } from './client-abilities.ts'
import { sessionConfigOptions } from './config-options.ts'
import type { AcpDeps } from './deps.ts'
import { HistoryProjection } from './projection/history-projection.ts'
import { toForm } from './session/question-form.ts'
import { LiveNotes } from './session/live-notes.ts'
import { toPermissionRequest, withAccess } from './session/permission-outcome.ts'
import { questionsOf } from './session/questions.ts'
import { ResultImages } from './session/result-images.ts'
import { NO_SETTINGS, foldSettings } from './session/session-settings.ts'

/** One frame that the agent sends. */
export interface PresentedFrame {
  /** The JSON-RPC method. */
  readonly name: string
  readonly body: object
}

export interface PresentSessionDeps extends Pick<AcpDeps, 'agents'> {
  readonly models: ModelCatalog
  readBlob(hash: string): Promise<Blob | undefined>
  log(entry: LogEntry): void
}

/**
 * Shows a log as a watching client gets it: profile `standard`, every ability, no turn of its own. Pass the events in order
 * from the first. Text comes in one piece, because deltas are not recorded.
 */
export function presentSession(
  sessionId: SessionId,
  deps: PresentSessionDeps,
): (recorded: Recorded) => Promise<readonly PresentedFrame[]> {
  const { agents, models } = deps
  const images = new ResultImages(deps)
  const projection = new HistoryProjection({
    profile: 'standard',
    lookOf: (agent, tool) => agents.find(agent)?.tools.find(({ name }) => name === tool),
    isOwnTurn: () => false,
    imageBytes: (hash) => images.bytes(hash),
  })
  const notes = new LiveNotes({
    agents,
    models,
    abilities: STANDARD_CLIENT,
    profile: 'standard',
    configOptions: (settings) =>
      sessionConfigOptions(settings, { agents, models, profile: 'standard', presets: undefined }),
    isChanging: () => false,
  })
  let settings = NO_SETTINGS
  let requests = 0

  const asks = (event: RecordedEvent): PresentedFrame[] => {
    const request = (name: string, params: object): PresentedFrame => ({
      name,
      body: { jsonrpc: '2.0', id: ++requests, method: name, params },
    })
    if (event.type === 'approval.requested') {
      const toolCall = projection.callForApproval(event.toolCallId)
      if (toolCall === undefined) return []
      return [
        request(
          'session/request_permission',
          toPermissionRequest(sessionId, withAccess(toolCall, event), {
            isCoverable: event.isCoverable,
            offers: event.offers,
          }),
        ),
      ]
    }
    if (event.type !== 'step.answered') return []
    return event.blocks.flatMap((block) => {
      if (block.type !== 'tool-call' || event.routes[block.toolCallId] !== 'question') return []
      const target = { sessionId, toolCallId: block.toolCallId, profile: 'standard' } as const
      return questionsOf(block.input).map((question) => request('elicitation/create', toForm(question, target)))
    })
  }

  return async (recorded) => {
    const { event } = recorded
    await images.load(recorded)
    const before = settings
    settings = foldSettings(before, event)
    const noted = notes.recorded(event, before, settings)
    const updates = [...projection.recorded(recorded), ...noted].map((update) => ({
      name: 'session/update',
      body: { jsonrpc: '2.0', method: 'session/update', params: { sessionId, update } },
    }))
    return [...updates, ...asks(event)]
  }
}
