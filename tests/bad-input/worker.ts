import type { NetConnectOpts } from 'node:net'
import type { BadInput, Scene } from './bad-input.ts'
import { type Connection, type Outcome, openConnection } from './connection.ts'
import { createWaitingCall, setScene } from './scene.ts'
import type { Subject } from './subject.ts'

/** Sends one input after the other, on connections that it keeps for as long as the server does. */
export interface Worker {
  readonly scene: Scene
  send(input: BadInput): Promise<Outcome>
  close(): void
}

export interface WorkerOptions {
  readonly foreignSessionId: string
  readonly giveUpMs: number
}

export async function createWorker(subject: Subject, options: WorkerOptions): Promise<Worker> {
  const { foreignSessionId, giveUpMs } = options
  let scene = await setScene(subject, foreignSessionId)
  const kept = new Map<BadInput['door'], Connection>()
  const { hostname, port } = new URL(subject.url)
  const addresses: Record<BadInput['door'], NetConnectOpts> = {
    tcp: { host: hostname, port: Number(port) },
    'owner-socket': { path: subject.ownerSocket },
  }
  const connectionFor = async ({ door, alone }: BadInput): Promise<Connection> => {
    const found = kept.get(door)
    if (!alone && found?.isOpen) return found
    const opened = await openConnection(addresses[door])
    if (!alone) kept.set(door, opened)
    return opened
  }
  return {
    get scene() {
      return scene
    },
    async send(input) {
      const connection = await connectionFor(input)
      const outcome = await connection.exchange(input, giveUpMs)
      if (input.alone) connection.close()
      if (mayHaveDeleted(input, outcome)) scene = await setScene(subject, foreignSessionId)
      else if (mayHaveSettled(input, outcome)) scene = { ...scene, waiting: await createWaitingCall(subject) }
      return outcome
    },
    close() {
      for (const connection of kept.values()) connection.close()
    },
  }
}

/** Some inputs become a valid request to delete the very session that the next ones want to find. */
function mayHaveDeleted({ pieces: [first] }: BadInput, { responses }: Outcome): boolean {
  const asks = typeof first === 'string' && first.startsWith('DELETE ')
  return responses.some(({ status }) => status === 204 || (asks && status === 200))
}

/** The next input wants to find a call that waits. */
function mayHaveSettled({ kind }: BadInput, { responses }: Outcome): boolean {
  return /\/v[13] (?:result|permission)\//.test(kind) && responses.some(({ status }) => status < 300)
}
