import type { Acknowledgement } from '../checker/history.ts'
import type { AapClient } from '../support/aap-client.ts'
import { V3 } from '../support/aap-dialect.ts'
import type { TurnAnswer, TurnMessage } from '../support/aap-wire.ts'
import { textOf } from '../support/played-turn.ts'
import { NEXT, call, script } from '../support/script.ts'
import type { ServerProcess } from '../support/server-process.ts'

export const MEMORY = 'Deploys to production are on Tuesdays only'
export const REMEMBERED_CALL = 'm1'

/** The sessions of the script: one that fills up, one that asks for what was remembered, one with a budget. */
export type Place = 'filled' | 'asking' | 'spending'

const LASTING = { name: 'lasting', tools: [{ name: 'Remember', trust: true }] }
const AGENTS: Readonly<Record<Place, object>> = { filled: LASTING, asking: LASTING, spending: { name: 'thrifty' } }

const LONG_TURNS = ['one', 'two', 'three', 'four', 'five', 'six']
/** Four hundred words: three such turns fill the window of the agent. */
const long = (word: string): string => `${word} `.repeat(400).trim()

interface PlannedTurn {
  /** Also its idempotency key. */
  readonly name: string
  readonly input: string
  /** What its answer ends with. */
  readonly answer: string
  readonly where: Place
}

const spend = (what: string): PlannedTurn => ({
  name: `spend ${what}`,
  where: 'spending',
  input: `say spent on ${what}`,
  answer: `spent on ${what}`,
})

const TURNS: readonly PlannedTurn[] = [
  {
    name: 'remember',
    where: 'filled',
    input: script(call(REMEMBERED_CALL, 'Remember', { content: MEMORY }), NEXT, 'say kept'),
    answer: 'kept',
  },
  ...LONG_TURNS.map((word): PlannedTurn => ({
    name: `long ${word}`,
    where: 'filled',
    input: `say ${long(word)}`,
    answer: long(word),
  })),
  ...['bread', 'wine', 'fish', 'salt', 'oil'].map(spend),
  {
    name: 'recall',
    where: 'asking',
    input: script('show messages', NEXT, 'When may we deploy to production?'),
    answer: MEMORY,
  },
  { name: 'last', where: 'filled', input: 'say good bye', answer: 'good bye' },
]

interface KeyedTurn {
  readonly key: string
  readonly messages: readonly TurnMessage[]
}

/**
 * A client that has something remembered, talks until its session is compacted, asks in another session for what was
 * remembered, and in a third allows more whenever the budget is used up. It sends each request with the same key until it
 * is answered, by whichever server is there.
 */
export class LastingClient {
  /** What a user was told that is not what was promised. */
  readonly complaints: string[] = []
  readonly #acknowledged = new Map<Place, Acknowledgement[]>()
  readonly #sessions = new Map<Place, string>()
  #done = 0

  sessionOf(place: Place): string {
    const id = this.#sessions.get(place)
    if (id === undefined) throw new Error(`the session ${place} was never created`)
    return id
  }

  get places(): readonly Place[] {
    return [...this.#sessions.keys()]
  }

  acknowledgedIn(place: Place): readonly Acknowledgement[] {
    return this.#acknowledged.get(place) ?? []
  }

  /** Goes on until the script is over. Rejects when the connection breaks. */
  async playOn(server: ServerProcess): Promise<void> {
    const client = server.client(V3)
    for (let turn = TURNS[this.#done]; turn !== undefined; turn = TURNS[this.#done]) {
      this.#judge(turn, await this.#play(client, turn))
      this.#done += 1
    }
  }

  async #play(client: AapClient, { name, where, input }: PlannedTurn): Promise<TurnAnswer> {
    const id = this.#sessions.get(where) ?? (await this.#create(client, where))
    let answer = await this.#send(client, id, { key: name, messages: [{ role: 'user', content: input }] })
    this.#acknowledged.set(where, [...this.acknowledgedIn(where), { type: 'input', text: input }])
    for (let question = questionIn(answer); question !== undefined; question = questionIn(answer)) {
      const goOn: TurnMessage = { role: 'tool', toolCallId: question, content: 'Go on' }
      answer = await this.#send(client, id, { key: `${name}, ${question}`, messages: [goOn] })
    }
    return answer
  }

  async #send(client: AapClient, id: string, { key, messages }: KeyedTurn): Promise<TurnAnswer> {
    const { status, text, body } = await client.turn(id, { messages }, { 'idempotency-key': key })
    if (status !== 200) throw new Error(`${key} was refused: ${status} ${text}`)
    return body
  }

  async #create(client: AapClient, where: Place): Promise<string> {
    const { status, text, body } = await client.create({ agent: AGENTS[where] })
    if (status !== 201) throw new Error(`the session was refused: ${status} ${text}`)
    this.#sessions.set(where, body.sessionId)
    return body.sessionId
  }

  #judge({ name, answer }: PlannedTurn, { stopReason, messages }: TurnAnswer): void {
    const said = textOf(messages)
    const isRight = name === 'recall' ? said.includes(answer) : said.endsWith(answer)
    if (stopReason !== 'end_turn') this.complaints.push(`the turn ${name} ended as ${stopReason}`)
    if (!isRight) this.complaints.push(`the answer to turn ${name} was ${said.slice(-200)}`)
  }
}

/** The call that waits for the user's answer. */
function questionIn({ stopReason, messages }: TurnAnswer): string | undefined {
  if (stopReason !== 'tool_use') return undefined
  const blocks = messages.flatMap(({ role, content }) =>
    role === 'assistant' && typeof content !== 'string' ? content : [],
  )
  return blocks
    .flatMap((block) => (block.type === 'tool_use' && block.name === 'AskUserQuestion' ? [block.toolCallId] : []))
    .at(-1)
}
