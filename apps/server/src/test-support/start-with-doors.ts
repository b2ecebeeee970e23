import type { Parts } from '../compose.ts'
import type { Door } from '../doors/door.ts'
import { DOORS } from '../doors/doors.ts'
import type { ServeOptions } from '../serve-options.ts'
import { startServer, type TestServer } from './start-server.ts'

export interface TestServerWithDoors extends TestServer {
  /** As the server has them open. */
  readonly doors: readonly Door[]
  readonly parts: Parts
}

export async function startWithDoors(options: Partial<ServeOptions> = {}): Promise<TestServerWithDoors> {
  const opened: { readonly door: Door; readonly parts: Parts }[] = []
  const list = DOORS.map((open): (typeof DOORS)[number] => (deps) => {
    const door = open(deps)
    opened.push({ door, parts: deps.parts })
    return door
  })
  const server = await startServer(options, list)
  const [first] = opened
  if (first === undefined) throw new Error('a server has doors')
  return { ...server, doors: opened.map(({ door }) => door), parts: first.parts }
}
