import type { AapClient } from './aap-client.ts'
import type {
  Content,
  HistoryMessage,
  ServerToolRef,
  SessionInfo,
  StreamMode,
  ToolSpec,
  TurnAnswer,
  TurnMessage,
} from './aap-wire.ts'
import { type PlayedTurn, playedFromAnswer, playedFromFrames } from './played-turn.ts'
import type { SseStream } from './sse-stream.ts'

export interface SessionSetup {
  readonly agent?: string
  readonly tools?: readonly ServerToolRef[]
  readonly options?: Readonly<Record<string, string>>
  readonly clientTools?: readonly ToolSpec[]
  readonly seed?: readonly HistoryMessage[]
}

/** Overrides of one turn. */
export interface TurnExtras {
  readonly agent?: { readonly name?: string } & Pick<SessionSetup, 'tools' | 'options'>
  readonly tools?: readonly ToolSpec[]
}

/** A client's session. A refused call throws an error with the whole answer. */
export interface AapSession {
  readonly id: string
  readonly client: AapClient
  /** The full history after creation: the seed, and in v1 also the first exchange. */
  readonly opening: readonly HistoryMessage[]
  /** A turn in `none` mode: a script, or answers to waiting calls. */
  turn(input: Content | TurnMessage[], extras?: TurnExtras): Promise<TurnAnswer>
  stream(mode: StreamMode, input: Content | TurnMessage[], extras?: TurnExtras): Promise<SseStream>
  /** A whole turn in any stream mode, in one shape. */
  play(mode: StreamMode, input: Content | TurnMessage[], extras?: TurnExtras): Promise<PlayedTurn>
  history(type?: 'full' | 'compacted'): Promise<readonly HistoryMessage[]>
  /** The full history after `opening`. */
  talk(): Promise<readonly HistoryMessage[]>
  read(): Promise<SessionInfo>
}

/** v1 cannot create a session without a turn, so the session begins with an exchange `ready`. */
export async function openSession(client: AapClient, setup: SessionSetup = {}): Promise<AapSession> {
  const runsFirstTurn = client.dialect.name === 'v1'
  const first: HistoryMessage[] = runsFirstTurn ? [{ role: 'user', content: 'say ready' }] : []
  const seed = setup.seed ?? []
  const answer = await client.create({
    agent: agentConfigOf(setup),
    ...(runsFirstTurn || setup.seed ? { messages: [...seed, ...first] } : {}),
    ...(setup.clientTools ? { tools: setup.clientTools } : {}),
  })
  if (answer.status !== 201) throw new Error(`the session was refused: ${answer.status} ${answer.text}`)
  return attachSession(client, answer.body.sessionId, [...seed, ...first, ...(answer.body.messages ?? [])])
}

/** The same session for another client, or for the same client after it lost its state. */
export function attachSession(client: AapClient, id: string, opening: readonly HistoryMessage[] = []): AapSession {
  async function turn(input: Content | TurnMessage[], extras: TurnExtras = {}): Promise<TurnAnswer> {
    const answer = await client.turn(id, { messages: messagesOf(input), ...extras })
    if (answer.status !== 200) throw new Error(`the turn was refused: ${answer.status} ${answer.text}`)
    return answer.body
  }

  async function stream(mode: StreamMode, input: Content | TurnMessage[], extras: TurnExtras = {}): Promise<SseStream> {
    const opened = await client.streamTurn(id, { stream: mode, messages: messagesOf(input), ...extras })
    if (opened.status !== 200) throw new Error(`the turn was refused: ${opened.status}`)
    return opened
  }

  return {
    id,
    client,
    opening,
    turn,
    stream,
    async play(mode, input, extras) {
      if (mode === 'none') return playedFromAnswer(await turn(input, extras))
      return playedFromFrames(await (await stream(mode, input, extras)).finished())
    },
    history: (type = 'full') => client.history(id, type),
    async talk() {
      return (await client.history(id, 'full')).slice(opening.length)
    },
    async read() {
      const answer = await client.get(id)
      if (answer.status !== 200) throw new Error(`no session: ${answer.status} ${answer.text}`)
      return answer.body
    },
  }
}

/** A list of objects with `role` is a list of messages. With `type`, it is the content of one user message. */
export function messagesOf(input: Content | TurnMessage[]): readonly TurnMessage[] {
  const isMessages = typeof input !== 'string' && input.every((item) => 'role' in item)
  return isMessages ? (input as TurnMessage[]) : [{ role: 'user', content: input as Content }]
}

function agentConfigOf({ agent = 'scripted', tools, options }: SessionSetup) {
  return { name: agent, ...(tools ? { tools } : {}), ...(options ? { options } : {}) }
}
