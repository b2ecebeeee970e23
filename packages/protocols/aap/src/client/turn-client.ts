import type { StreamMode } from '../wire.ts'
import {
  eventsAfter,
  followStream,
  parseJson,
  receiveWhole,
  refuseFailure,
  sessionPath,
  type StreamedUpdate,
} from './follow-turn.ts'
import { TurnRefusal, type TurnRequest, type TurnTransport } from './turn-transport.ts'
import { wireMeta } from './wire-schemas.ts'

export interface OfferedAgent {
  readonly name: string
  /** The finest way in which the agent can stream. */
  readonly stream: StreamMode
}

export type CallAnswer =
  | { readonly type: 'approval'; readonly toolCallId: string; readonly granted: boolean; readonly reason?: string }
  | { readonly type: 'result'; readonly toolCallId: string; readonly content: string }

export interface TurnInput {
  readonly sessionId: string
  readonly stream: StreamMode
  /** What the user says, or the answers to the calls that the session waits for. */
  readonly say: string | readonly CallAnswer[]
}

/** Turns over AAP version 3, in our own words. Rejects with a `TurnRefusal` or `ConnectionLost`. */
export interface TurnClient {
  listAgents(): Promise<readonly OfferedAgent[]>
  /** Begins or continues a turn and follows it to its stop. The turn runs once, however often the connection breaks. */
  runTurn(input: TurnInput): AsyncGenerator<StreamedUpdate>
  /** Follows the turn that is running, from the cursor on. */
  attachTurn(sessionId: string, after: string): AsyncGenerator<StreamedUpdate>
  cancelTurn(sessionId: string): Promise<void>
}

export function createTurnClient(transport: TurnTransport): TurnClient {
  return {
    async listAgents() {
      const response = await transport.request({ method: 'GET', path: '/aap/v3/meta' })
      await refuseFailure(response)
      const meta = wireMeta.safeParse(parseJson(await response.text()))
      if (!meta.success) throw new TurnRefusal('The server does not speak AAP version 3.', response.status)
      return meta.data.agents.map(({ name, capabilities: { stream = {} } }) => ({ name, stream: finestOf(stream) }))
    },

    async *runTurn({ sessionId, stream, say }) {
      const request: TurnRequest = {
        method: 'POST',
        path: `${sessionPath(sessionId)}/turns`,
        body: { stream, messages: toMessages(say) },
        // With the key, a request whose answer was lost can be sent again: it finds the turn that it began.
        headers: { 'idempotency-key': crypto.randomUUID() },
      }
      if (stream === 'none') yield* receiveWhole(transport, request)
      else yield* followStream(transport, sessionId, request)
    },

    attachTurn: (sessionId, after) => followStream(transport, sessionId, eventsAfter(sessionId, after)),

    async cancelTurn(sessionId) {
      await refuseFailure(
        await transport.request({ method: 'POST', path: `${sessionPath(sessionId)}/cancel`, body: {} }),
      )
    },
  }
}

function finestOf(stream: { readonly [mode: string]: unknown }): StreamMode {
  return stream['delta'] ? 'delta' : stream['message'] ? 'message' : 'none'
}

function toMessages(say: TurnInput['say']): readonly object[] {
  if (typeof say === 'string') return [{ role: 'user', content: say }]
  return say.map((answer) => {
    const { toolCallId } = answer
    if (answer.type === 'result') return { role: 'tool', toolCallId, content: answer.content }
    const { granted, reason } = answer
    return { role: 'tool_permission', toolCallId, granted, ...(reason !== undefined && { reason }) }
  })
}
