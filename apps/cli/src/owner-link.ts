import { connectOwner, openOwner, type OwnerConnection, type OwnerResponse, type ServeOptions } from '@polylogue/server'
import { setTimeout as delay } from 'node:timers/promises'
import type { z } from 'zod'
import { CommandFailure } from './command-failure.ts'
import { ExitCode } from './exit-code.ts'
import { refusalBody } from './wire.ts'

/** The way to whoever owns the data directory: a running server, or this very process. */
export interface OwnerLink {
  /** The owner is this very process. */
  readonly isEmbedded: boolean
  request(request: OwnerRequest): Promise<OwnerResponse>
  /** After the owner went away: the one that took its place, or this process becomes it. */
  reconnect(): Promise<void>
  close(): Promise<void>
}

export interface OwnerRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

// A server that is being restarted needs the data directory for itself; only one that does not come back is replaced.
const REPLACE_OWNER_AFTER_MS = 5_000
const LOOK_AGAIN_MS = 100
// One that is about to leave still answers, but takes nothing on.
const BEFORE_RECONNECT_MS = 250

export async function openOwnerLink(options: ServeOptions): Promise<OwnerLink> {
  let connection = await openOwner(options)
  return {
    get isEmbedded() {
      return connection.embedded
    },
    request: ({ method, path, ...rest }) => connection.request(method, path, rest),
    async reconnect() {
      await delay(BEFORE_RECONNECT_MS)
      // We own the data directory ourselves: only the stream was lost, as a slow reader's is.
      if (connection.embedded) return
      await leave(connection)
      connection = (await awaitNextOwner(options.dataDir)) ?? (await openOwner(options))
    },
    close: () => connection.close(),
  }
}

async function awaitNextOwner(dataDir: string): Promise<OwnerConnection | undefined> {
  for (let waitedMs = 0; waitedMs < REPLACE_OWNER_AFTER_MS; waitedMs += LOOK_AGAIN_MS) {
    const connection = await connectOwner(dataDir)
    if (connection) return connection
    await delay(LOOK_AGAIN_MS)
  }
  return undefined
}

async function leave(connection: OwnerConnection): Promise<void> {
  try {
    await connection.close()
  } catch (error) {
    // The other end is gone already, which is why we leave.
    if (!(error instanceof Error)) throw error
  }
}

export async function requestJson<S extends z.ZodType>(
  link: OwnerLink,
  schema: S,
  request: OwnerRequest,
): Promise<z.infer<S>> {
  const answer = schema.safeParse(parseJson(await requestText(link, request)))
  if (answer.success) return answer.data
  throw new CommandFailure(`The server's answer to ${request.method} ${request.path} makes no sense.`)
}

/** The body of the answer. A refusal, or an owner that goes away, is a `CommandFailure`. */
export async function requestText(link: OwnerLink, request: OwnerRequest): Promise<string> {
  try {
    const response = await link.request(request)
    await refuseFailure(response)
    return await response.text()
  } catch (error) {
    if (error instanceof CommandFailure) throw error
    throw new CommandFailure('The server went away before it answered.', ExitCode.failed, { cause: error })
  }
}

/** Throws what the server says about a refused request. */
export async function refuseFailure(response: OwnerResponse): Promise<void> {
  if (response.status < 400) return
  const body = refusalBody.safeParse(parseJson(await response.text()))
  throw new CommandFailure(body.success ? body.data.error : `The server answered ${response.status}.`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
