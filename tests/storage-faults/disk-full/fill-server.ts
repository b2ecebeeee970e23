import { V3 } from '../../support/aap-dialect.ts'
import { openSession } from '../../support/aap-session.ts'
import type { HistoryMessage } from '../../support/aap-wire.ts'
import { eventually } from '../../support/eventually.ts'
import { textOf } from '../../support/played-turn.ts'
import { script } from '../../support/script.ts'
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts'
import { checkDatabase } from './check-database.ts'
import type { SmallDisk } from './small-disk.ts'

const ROOM_AGAIN = 16 * 1024 * 1024
const MOST_SESSIONS = 2_000
const LONG_TURNS = 2

/**
 * Fills the disk of a server and then frees space. While the disk is full, the server must answer writes with 507,
 * serve all reads and stop cancelled turns. After that it must continue by itself, without lost or partial data.
 * Returns the violations.
 */
export async function fillServer(disk: SmallDisk, bytes: number): Promise<readonly string[]> {
  const problems: string[] = []
  let server: ServerProcess
  try {
    server = await startServerProcess({ dataDir: disk.path })
  } catch (error) {
    if (!/disk is full|ENOSPC/.test(String(error))) problems.push(`the error does not name the cause: ${String(error)}`)
    await disk.resize(ROOM_AGAIN)
    server = await startServerProcess({ dataDir: disk.path })
    bytes = ROOM_AGAIN
  }
  try {
    const scene = createScene(server, problems)
    await scene.begin()
    await scene.fill(bytes)
    await scene.lookWhileFull()
    await disk.resize(2 * ROOM_AGAIN)
    await scene.goOn()
    await server.kill()
    problems.push(...(await checkDatabase(disk.path)))
    server = await startServerProcess({ dataDir: disk.path })
    await createScene(server, problems, scene.acknowledged).checkSessions()
    return problems
  } finally {
    await server.kill()
  }
}

/** Acknowledged sessions, each with its initial history. */
type Acknowledged = Map<string, readonly HistoryMessage[]>

function createScene(server: ServerProcess, problems: string[], acknowledged: Acknowledged = new Map()) {
  const client = server.client(V3)
  const tell = (problem: string): void => void problems.push(problem)
  const create = (messages: readonly HistoryMessage[]) => client.create({ agent: { name: 'scripted' }, messages })
  /** Turns that keep running until they are cancelled, and one that records an event while the disk is full. */
  const long: string[] = []
  let working: string | undefined

  /** `undefined` when the disk is already full. */
  const startTurn = async (content: string): Promise<string | undefined> => {
    const created = await client.create({ agent: { name: 'scripted' } })
    if (created.status !== 201) {
      if (created.status !== 507) tell(`an early session was answered ${created.status} ${created.text}`)
      return undefined
    }
    const { sessionId } = created.body
    const stream = await client.streamTurn(sessionId, { stream: 'delta', messages: [{ role: 'user', content }] })
    stream.cut()
    return stream.status === 200 ? sessionId : undefined
  }

  const checkSessions = async (): Promise<void> => {
    for (const [id, seed] of acknowledged) {
      const answer = await client.send<{ history: { full: readonly HistoryMessage[] } }>('GET', V3.history(id, 'full'))
      if (answer.status !== 200) tell(`the acknowledged session ${id} was answered ${answer.status} ${answer.text}`)
      else if (JSON.stringify(answer.body.history.full) !== JSON.stringify(seed)) tell(`${id} is not what it was`)
    }
  }

  return {
    acknowledged,
    checkSessions,

    async begin(): Promise<void> {
      working = await startTurn(script('say begun', 'sleep 700', 'say done'))
      for (let count = 0; count < LONG_TURNS; count++) {
        const id = await startTurn(script('say begun', 'sleep 600000', 'say never'))
        if (id !== undefined) long.push(id)
      }
    },

    /** Creates sessions with ever smaller histories until not even the smallest fits. */
    async fill(bytes: number): Promise<void> {
      let size = Math.min(256 * 1024, Math.ceil(bytes / 24))
      for (let number = 1; number <= MOST_SESSIONS; number++) {
        const seed: HistoryMessage[] = [
          { role: 'user', content: `question ${number} ${'x'.repeat(size)}` },
          { role: 'assistant', content: 'an answer' },
        ]
        const answer = await create(seed)
        if (answer.status === 201) acknowledged.set(answer.body.sessionId, seed)
        else if (answer.status !== 507) return tell(`a full disk was answered ${answer.status} ${answer.text}`)
        else if (size === 1) return
        else size = Math.floor(size / 4) || 1
      }
      tell('the disk was never full')
    },

    async lookWhileFull(): Promise<void> {
      await checkSessions()
      const write = await create([{ role: 'user', content: 'x'.repeat(65_536) }])
      const isRefused = write.status === 507 && write.text.includes('storage-full')
      if (!isRefused) tell(`a write to the full disk was answered ${write.status} ${write.text}`)
      for (const id of long) {
        const cancel = await client.cancel(id)
        if (cancel.status !== 202) tell(`a cancel was answered ${cancel.status} ${cancel.text}`)
      }
    },

    async goOn(): Promise<void> {
      const next = await openSession(client)
      const answer = await next.turn('say there is room')
      if (answer.stopReason !== 'end_turn') tell(`the first turn with room ended with ${answer.stopReason}`)
      await checkSessions()
      if (working !== undefined) {
        const talk = await untilFree(working)
        if (!textOf(talk).includes('done')) tell(`the turn that met the full disk left ${JSON.stringify(talk)}`)
      }
      for (const id of long) {
        const talk = await untilFree(id)
        if (textOf(talk).includes('never')) tell('a cancelled turn went on')
      }
    },
  }

  /** Waits until the session accepts a new turn, then returns its history. */
  async function untilFree(id: string): Promise<readonly HistoryMessage[]> {
    await eventually(async () => {
      const answer = await client.turn(id, { messages: [{ role: 'user', content: 'say free' }] })
      if (answer.status !== 200 && answer.status !== 409) tell(`a turn with room was answered ${answer.status}`)
      return answer.status === 409 ? undefined : answer
    }, 'a session that met the full disk is free')
    return client.history(id, 'full')
  }
}
