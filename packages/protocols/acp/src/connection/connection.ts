import { EngineError, asSessionId, type SessionId, type SessionView } from '@polylogue/engine'
import type { ClientAbilities } from '../client-abilities.ts'
import type { AcpConnectionOptions, AcpDeps, AcpResume } from '../deps.ts'
import { notInitialized, sessionNotFound } from '../errors.ts'
import { toParams, type Params } from '../parse-params.ts'
import { invalidParams } from '../rpc/rpc-error.ts'
import type { OutQueue } from '../rpc/out-queue.ts'
import type { RpcPeer } from '../rpc/rpc-peer.ts'
import type { AcpSession } from '../session/acp-session.ts'
import type { Prompts } from '../session/prompts.ts'

/** A session that this connection has open. */
export interface OpenedSession {
  readonly session: AcpSession
  readonly prompts: Prompts
}

export interface ConnectionParts {
  readonly deps: AcpDeps
  readonly options: AcpConnectionOptions
  readonly peer: RpcPeer
  readonly out: OutQueue
}

/** The state that all methods of one connection share. */
export class Connection {
  readonly deps: AcpDeps
  readonly options: AcpConnectionOptions
  readonly peer: RpcPeer
  readonly out: OutQueue
  readonly sessions = new Map<SessionId, OpenedSession>()
  readonly extension = { isUnknown: false }
  readonly #lastOf = new Map<SessionId, Promise<void>>()
  /** Set by the latest handshake. An open session keeps the abilities it was opened with. */
  abilities: ClientAbilities | undefined
  clientName: string | undefined
  /** Used by the first `session/new`. */
  resume: AcpResume | undefined

  constructor(parts: ConnectionParts) {
    this.deps = parts.deps
    this.options = parts.options
    this.peer = parts.peer
    this.out = parts.out
    this.resume = parts.options.resume
  }

  requireHandshake(): ClientAbilities {
    if (this.abilities === undefined) throw notInitialized()
    return this.abilities
  }

  /** Checks a request about one session: first the handshake, then the shape, then the id. */
  paramsOf(params: unknown): { readonly given: Params; readonly sessionId: SessionId } {
    this.requireHandshake()
    const given = toParams(params)
    const { sessionId } = given
    if (typeof sessionId !== 'string' || sessionId === '') throw invalidParams('sessionId', 'must be a string')
    return { given, sessionId: asSessionId(sessionId) }
  }

  opened(sessionId: SessionId): OpenedSession {
    const found = this.sessions.get(sessionId)
    if (found === undefined) throw this.unknown(sessionId)
    return found
  }

  unknown(sessionId: string): Error {
    return sessionNotFound(sessionId, this.options.profile)
  }

  /** Runs opens and closes of one session one after another. */
  async inOrder<T>(sessionId: SessionId, run: () => Promise<T>): Promise<T> {
    const before = this.#lastOf.get(sessionId) ?? Promise.resolve()
    const work = before.then(run)
    const settled = work.then(
      () => undefined,
      () => undefined,
    )
    this.#lastOf.set(sessionId, settled)
    try {
      return await work
    } finally {
      if (this.#lastOf.get(sessionId) === settled) this.#lastOf.delete(sessionId)
    }
  }

  /** Returns `undefined` when the user has no such session. */
  async find(sessionId: SessionId): Promise<SessionView | undefined> {
    try {
      return await this.deps.engine.readSession(this.options.userId, sessionId)
    } catch (error) {
      if (error instanceof EngineError && error.code === 'session-not-found') return undefined
      throw error
    }
  }
}
