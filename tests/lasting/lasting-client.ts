import type { Acknowledgement } from '../checker/history.ts'
import type { AapClient } from '../support/aap-client.ts'
import { V3 } from '../support/aap-dialect.ts'
import { textOf } from '../support/played-turn.ts'
import { NEXT, call, script } from '../support/script.ts'
import type { ServerProcess } from '../support/server-process.ts'
import type { TurnAnswer } from '../support/aap-wire.ts'

export const MEMORY = 'Deploys to production are on Tuesdays only'
export const REMEMBERED_CALL = 'm1'

const AGENT = { name: 'lasting', tools: [{ name: 'Remember', trust: true }] }
const LONG_TURNS = ['one', 'two', 'three', 'four', 'five', 'six']
/** Four hundred words: three such turns fill the window of the agent. */
const long = (word: string): string => `${word} `.repeat(400).trim()

interface PlannedTurn {
  /** Also its idempotency key. */
  readonly name: string
  readonly input: string
  /** What its answer ends with. */
  readonly answer: string
  readonly where: 'first' | 'second'
}

const TURNS: readonly PlannedTurn[] = [
  {
    name: 'remember',
    where: 'first',
    input: script(call(REMEMBERED_CALL, 'Remember', { content: MEMORY }), NEXT, 'say kept'),
    answer: 'kept',
  },
  ...LONG_TURNS.map((word) => ({
    name: `long ${word}`,
    where: 'first' as const,
    input: `say ${long(word)}`,
    answer: long(word),
  })),
  {
    name: 'recall',
    where: 'second',
    input: script('show system', NEXT, 'When may we deploy to production?'),
    answer: MEMORY,
  },
  { name: 'last', where: 'first', input: 'say good bye', answer: 'good bye' },
]

/**
 * A client that has something remembered, talks until its session is compacted, and asks in another session for what was
 * remembered. It sends each turn with the same key until it is answered, by whichever server is there.
 */
export class LastingClient {
  readonly acknowledged: Acknowledgement[] = []
  /** What a user was told that is not what was promised. */
  readonly complaints: string[] = []
  readonly #sessions = new Map<PlannedTurn['where'], string>()
  #done = 0

  get sessionId(): string {
    const id = this.#sessions.get('first')
    if (id === undefined) throw new Error('the session was never created')
    return id
  }

  get hasSession(): boolean {
    return this.#sessions.has('first')
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
    const body = { messages: [{ role: 'user', content: input }] }
    const { status, text, body: answer } = await client.turn(id, body, { 'idempotency-key': name })
    if (status !== 200) throw new Error(`${name} was refused: ${status} ${text}`)
    if (where === 'first') this.acknowledged.push({ type: 'input', text: input })
    return answer
  }

  async #create(client: AapClient, where: PlannedTurn['where']): Promise<string> {
    const { status, text, body } = await client.create({ agent: AGENT })
    if (status !== 201) throw new Error(`the session was refused: ${status} ${text}`)
    this.#sessions.set(where, body.sessionId)
    return body.sessionId
  }

  #judge({ name, answer }: PlannedTurn, { stopReason, messages }: TurnAnswer): void {
    const said = textOf(messages)
    const isRight = name === 'recall' ? said.includes(answer) : said.endsWith(answer)
    if (stopReason !== 'end_turn') this.complaints.push(`the turn ${name} ended as ${stopReason}`)
    if (!isRight) this.complaints.push(`the turn ${name} was answered with ${said.slice(-200)}`)
  }
}
