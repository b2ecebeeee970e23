import type { ChildServer } from './child-server.ts'
import { RawClient, createSession, turnBody } from './raw-client.ts'

export interface DeltaLoadOptions {
  readonly connections: number
  readonly deltasPerTurn: number
}

/** Clients that run one turn after another, with deltas as fast as the server accepts them. */
export interface DeltaLoad {
  /** Runs this many turns on every connection. Returns the server's CPU time per delta. */
  run(turns: number): Promise<number>
  close(): void
}

export async function openDeltaLoad(
  server: ChildServer,
  { connections, deltasPerTurn }: DeltaLoadOptions,
  pathOf: (server: ChildServer) => Promise<string> = pathOfSession,
): Promise<DeltaLoad> {
  const clients = await Promise.all(
    Array.from({ length: connections }, async () => ({
      client: await RawClient.open(server),
      path: await pathOf(server),
    })),
  )
  const script = turnBody(`tokens ${deltasPerTurn}`)
  return {
    async run(turns) {
      const before = await server.cpuMicros()
      await Promise.all(
        clients.map(async ({ client, path }) => {
          for (let turn = 0; turn < turns; turn++) await client.post(path, script)
        }),
      )
      return ((await server.cpuMicros()) - before) / (connections * turns * deltasPerTurn)
    },
    close() {
      for (const { client } of clients) client.close()
    },
  }
}

async function pathOfSession(server: ChildServer): Promise<string> {
  return `/aap/v3/sessions/${await createSession(server, 'scripted')}/turns`
}
