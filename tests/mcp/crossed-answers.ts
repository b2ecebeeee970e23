import { callTool, createMcpWorld } from './mcp-world.ts'
import { startMisbehavingHttp } from './misbehaving-http.ts'

export interface CrossingPlan {
  readonly clients: number
  readonly callsEach: number
}

/** Clients of one server, each with a connection of its own and so with the same ids; complaints of wrong answers. */
export async function crossAnswers({ clients, callsEach }: CrossingPlan): Promise<readonly string[]> {
  const world = await createMcpWorld()
  const http = await startMisbehavingHttp()
  http.fault = 'stream'
  const server = {
    name: 'web',
    reach: { type: 'http', url: http.url, headers: {} },
    trusted: false,
    deadlineMs: 60_000,
  } as const
  const complaints: string[] = []
  try {
    const holds = Array.from({ length: clients }, (_, client) =>
      world.pool.hold([server], { scope: `session-${client}` }),
    )
    await Promise.all(holds.map((held) => held.settled()))
    if (http.sessions() !== clients) complaints.push(`${http.sessions()} sessions for ${clients} clients`)
    for (let call = 0; call < callsEach; call += 1) {
      await Promise.all(
        holds.map(async (held, client) => {
          const msg = `client ${client}, call ${call}`
          const { content } = await callTool(held, 'mcp_web_echo', { msg })
          if (content !== msg) complaints.push(`${msg} was answered ${JSON.stringify(content)}`)
        }),
      )
    }
  } finally {
    await world.end()
    await http.close()
  }
  return complaints
}
