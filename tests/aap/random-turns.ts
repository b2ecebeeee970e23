// Random scripts with sub-agents, questions, budgets and tools of the client, played by a client that works as the official
// `Session` does, and compared with the log of the server.
import type { SeededRandom as Random } from '../storage-faults/seeded-random.ts'
import type { AapClient } from '../support/aap-client.ts'
import type { HistoryMessage, Permission, StreamMode, ToolMessage } from '../support/aap-wire.ts'
import { exchangeJson } from '../support/http-exchange.ts'
import { callsIn } from '../support/played-turn.ts'
import { NEXT, call, script } from '../support/script.ts'
import { type AnswerPending, type SessionLoop, essence, findPending, openSessionLoop } from './session-loop.ts'

const QUESTION = { questions: [{ question: 'Which one?', options: [{ label: 'Red' }, { label: 'Blue' }] }] }
const CLIENT_TOOLS = ['weather', 'clock'] as const
const SERVER_TOOLS = ['echo', 'boom', 'slow', 'AskUserQuestion', 'Agent'] as const

export interface PlayedTurns {
  readonly turns: number
  readonly faults: readonly string[]
}

/** Plays turns in sessions of a few turns each. A fault names its seed's script. */
export async function playRandomTurns(
  client: AapClient,
  options: { readonly mode: StreamMode; readonly turns: number; readonly random: Random },
): Promise<PlayedTurns> {
  const { mode, turns, random } = options
  const faults: string[] = []
  for (let played = 0; played < turns;) {
    const ids = { count: 0 }
    const tools = SERVER_TOOLS.filter(() => random.int(6) > 0).map((name) => ({ name, trust: random.int(2) === 0 }))
    const clientTools = CLIENT_TOOLS.map((name) => client.dialect.tool(name, '', {}))
    const loop = await openSessionLoop(client, mode, { tools, clientTools })
    const rounds = 1 + random.int(4)
    for (let round = 0; round < rounds && played < turns; round++, played++) {
      const text = randomScript(random, ids, 0)
      try {
        await loop.play(text, randomAnswers(random))
        faults.push(...(await findFaults(client, loop)).map((fault) => `${fault}\n${text}`))
      } catch (error) {
        faults.push(`${error instanceof Error ? error.message : String(error)}\n${text}`)
        break
      }
    }
  }
  return { turns, faults }
}

function randomScript(random: Random, ids: { count: number }, depth: number): string {
  const steps = Array.from({ length: 1 + random.int(3) }, () => {
    const lines = Array.from({ length: 1 + random.int(4) }, () => randomLine(random, ids, depth))
    return random.int(12) === 0 ? [...lines, 'fail'] : lines
  })
  return script(...steps.flatMap((lines) => [...lines, NEXT]), 'say end')
}

function randomLine(random: Random, ids: { count: number }, depth: number): string {
  // Now and then an id that was used before: the server gives the call another one.
  const id = random.int(20) === 0 ? 'c1' : `c${++ids.count}`
  switch (random.int(depth < 2 ? 10 : 8)) {
    case 0:
      return `say word ${id}`
    case 1:
      return `think hm ${id}`
    case 2:
      return call(id, 'echo', { msg: id })
    case 3:
      return call(id, 'boom')
    case 4:
      return call(id, 'slow', { ms: 1 })
    case 5:
      return call(id, CLIENT_TOOLS[random.int(CLIENT_TOOLS.length)] ?? 'clock')
    case 6:
      return call(id, 'AskUserQuestion', QUESTION)
    case 7:
      return call(id, random.int(2) === 0 ? 'hidden' : 'nobody', { msg: id })
    default:
      return call(id, 'Agent', { description: 'd', prompt: randomScript(random, ids, depth + 1) })
  }
}

/** Runs tools of the client, or denies them; grants or denies the others. */
function randomAnswers(random: Random): AnswerPending {
  return ({ client, server }) => [
    ...client.map(({ toolCallId }): ToolMessage | Permission =>
      random.int(5) === 0 ? permission(toolCallId, false) : { role: 'tool', toolCallId, content: 'from the client' },
    ),
    ...server.map(({ toolCallId }): Permission => permission(toolCallId, random.int(3) > 0)),
  ]
}

const permission = (toolCallId: string, granted: boolean): Permission => ({
  role: 'tool_permission',
  toolCallId,
  granted,
  ...(granted ? {} : { reason: 'not now' }),
})

interface Logged {
  readonly event: {
    readonly type: string
    readonly loopId?: string
    readonly by?: string
    readonly toolCallId?: string
    readonly blocks?: readonly { readonly type: string; readonly toolCallId?: string }[]
  }
}

async function findFaults(client: AapClient, loop: SessionLoop): Promise<readonly string[]> {
  const faults: string[] = []
  const full = await client.history(loop.id, 'full')
  const [theirs, ours] = [full, loop.history].map(spell)
  const differs = theirs?.findIndex((message, index) => message !== ours?.[index]) ?? -1
  if (differs !== -1 || theirs?.length !== ours?.length) {
    faults.push(`the full history is not what the client has: ${theirs?.[differs]} instead of ${ours?.[differs]}`)
  }
  const compacted = await client.history(loop.id, 'compacted')
  for (const history of [full, compacted]) {
    const { client: own, server } = findPending(history, new Set(CLIENT_TOOLS))
    if (own.length + server.length > 0) faults.push('a call seems to wait after the end')
  }
  const log = await readLog(client, loop.id)
  const own = log.filter(({ event }) => event.loopId === undefined || event.loopId === 'root')
  const made = own.flatMap(({ event }) => (event.type === 'step.answered' ? idsOf(event) : []))
  const byEngine = new Set(own.flatMap(({ event }) => (event.by === 'engine' && event.blocks ? idsOf(event) : [])))
  const settled = own.flatMap(({ event }) => (event.type === 'tool-call.settled' ? [event.toolCallId ?? ''] : []))
  const compare = (what: string, history: readonly HistoryMessage[], expected: readonly string[]): void => {
    const inHistory = new Set(callsIn(history).map(({ toolCallId }) => toolCallId))
    if (expected.some((id) => !inHistory.has(id))) faults.push(`the ${what} history lacks a call of the log`)
    const results = history.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : []))
    if (new Set(results).size !== results.length) faults.push(`the ${what} history has a result twice`)
    const answered = expected.filter((id) => settled.includes(id))
    if (answered.some((id) => !results.includes(id))) faults.push(`the ${what} history lacks a result of the log`)
  }
  compare('full', full, made)
  const seen = made.filter((id) => !byEngine.has(id))
  compare('compacted', compacted, seen)
  const extra = callsIn(compacted).filter(({ toolCallId }) => !seen.includes(toolCallId))
  if (extra.length > 0) faults.push('the compacted history has a call that the model did not make')
  return faults
}

/** Without thinking: a stream of deltas also shows that of a step that fails, which a history does not keep. */
const spell = (history: readonly HistoryMessage[]): readonly string[] =>
  history
    .map((message) => ({ ...(essence(message) as object), thinking: '' }))
    .map((message) => JSON.stringify(message))
    .filter((message) => message !== '{"role":"assistant","text":"","thinking":"","calls":[]}')

const idsOf = ({ blocks = [] }: Logged['event']): string[] =>
  blocks.flatMap(({ type, toolCallId }) => (type === 'tool-call' && toolCallId !== undefined ? [toolCallId] : []))

async function readLog(client: AapClient, id: string): Promise<readonly Logged[]> {
  const all: Logged[] = []
  for (let after = 0; ;) {
    const url = `${client.url}/api/polylogue/sessions/${id}/events?after=${after}`
    const headers = { authorization: `Bearer ${client.key}` }
    const { status, body, text } = await exchangeJson<{ events: (Logged & { seq: number })[] }>({
      method: 'GET',
      url,
      headers,
    })
    if (status !== 200) throw new Error(`no log: ${status} ${text}`)
    all.push(...body.events)
    const last = body.events.at(-1)
    if (last === undefined) return all
    after = last.seq
  }
}
