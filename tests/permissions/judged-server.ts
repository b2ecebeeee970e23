import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Preset, Recorded, RecordedEvent } from '@polylogue/engine'
import { V3 } from '../support/aap-dialect.ts'
import { attachSession } from '../support/aap-session.ts'
import { exchangeJson } from '../support/http-exchange.ts'
import { call, script } from '../support/script.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

/** What became of a call. `ran`: it was begun without a question. `waits`: for an answer, not for a permission. */
export type Fate = 'ran' | 'asked' | 'denied' | 'disabled' | 'waits'

export interface Call {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
}

/** A whole server with the built-in tools, whose model does what it is told. */
export interface JudgedServer {
  readonly server: TestServer
  /** A file or folder beside the workspaces that no session may touch. */
  readonly outside: string
  readonly configFile: string
  ask<Body>(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly body: Body }>
  openSession(preset: Preset): Promise<string>
  /** The model makes all these calls at once; afterwards the turn is cancelled. */
  tryCalls(sessionId: string, calls: readonly Call[]): Promise<readonly Fate[]>
  events(sessionId: string): Promise<readonly RecordedEvent[]>
  stop(): Promise<void>
}

export async function startJudgedServer(permissions: object = {}): Promise<JudgedServer> {
  const dir = await createTempDir()
  const configFile = join(dir.path, 'polylogue.config.json')
  const outside = join(dir.path, 'outside')
  mkdirSync(outside)
  writeFileSync(join(outside, 'secret.txt'), 'not yours')
  writeFileSync(configFile, JSON.stringify({ permissions }))
  const server = await startTestServer({ configFile })

  const ask = <Body>(method: string, path: string, body?: unknown) =>
    exchangeJson<Body>({
      method,
      url: `${server.url}/api/polylogue${path}`,
      headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body }),
    })

  const events = async (sessionId: string): Promise<readonly RecordedEvent[]> => {
    const { body } = await ask<{ events: readonly Recorded[] }>('GET', `/sessions/${sessionId}/events?limit=1000`)
    return body.events.map(({ event }) => event)
  }

  return {
    server,
    outside,
    configFile,
    ask,
    events,
    async openSession(preset) {
      const { status, body } = await ask<{ sessionId: string }>('POST', '/sessions', { agent: 'scripted', preset })
      if (status !== 201) throw new Error(`no session: ${status} ${JSON.stringify(body)}`)
      return body.sessionId
    },
    async tryCalls(sessionId, calls) {
      const ids = calls.map(() => `c_${randomUUID()}`)
      const lines = calls.map(({ tool, input }, index) => call(ids[index] ?? '', tool, input))
      const session = attachSession(server.client(V3), sessionId)
      await session.turn(script(...lines))
      const log = await events(sessionId)
      await session.client.cancel(sessionId)
      return ids.map((id) => fateOf(id, log))
    },
    async stop() {
      await server.stop()
      await dir.remove()
    },
  }
}

export function fateOf(id: string, log: readonly RecordedEvent[]): Fate {
  const about = log.filter((event) => 'toolCallId' in event && event.toolCallId === id)
  if (about.some(({ type }) => type === 'approval.requested')) return 'asked'
  if (about.some(({ type }) => type === 'tool-call.started')) return 'ran'
  const settled = about.find((event) => event.type === 'tool-call.settled')
  if (settled === undefined) return 'waits'
  if (settled.status === 'denied') return 'denied'
  const output = JSON.stringify(settled.output)
  if (output.includes('not enabled')) return 'disabled'
  throw new Error(`${id} was refused: ${output}`)
}
