import type { PromptResponse } from '@agentclientprotocol/sdk'
import {
  textOf,
  titleOf,
  type AdmittedTurn,
  type IdempotencyKey,
  type Recorded,
  type TurnId,
  type TurnSettings,
} from '@polylogue/engine'
import type { PromptContent } from '../content-blocks.ts'
import type { AcpConnectionOptions, AcpDeps } from '../deps.ts'
import { invalidRequest } from '../errors.ts'
import type { AcpSession } from './acp-session.ts'
import type { TurnEnd } from './own-turns.ts'
import { toPromptResponse } from './prompt-end.ts'
import { runCompaction } from './run-compaction.ts'

/** How long a cancelled prompt may stay open. */
const CANCEL_MS = 5_000
/** The same when the client leaves. Shorter than the time that the connection has to close. */
const LEAVE_MS = 4_000
const CANCELLED: PromptResponse = { stopReason: 'cancelled' }

export interface PromptsOptions {
  readonly deps: AcpDeps
  readonly options: AcpConnectionOptions
  readonly session: AcpSession
  /** Resolves when the session's MCP servers are connected or have failed. */
  readonly ready: Promise<void>
}

export interface Prompt extends PromptContent {
  readonly idempotency: IdempotencyKey | undefined
  /** The prompt is the `/compact` command, not input for the model. */
  readonly isCompaction?: boolean
}

interface BegunTurn {
  readonly turnId: TurnId
  readonly ended: Promise<TurnEnd>
}

/** The prompts of one session on one connection. Admitted in order; each is answered when its turn ends. */
export class Prompts {
  readonly #options: PromptsOptions
  /** Prompts without a turn yet. */
  readonly #beginning = new Set<AbortController>()
  /** Queued turns to cancel when they start. */
  readonly #unwanted = new Set<TurnId>()
  #admission: Promise<unknown> = Promise.resolve()
  #open = 0

  constructor(options: PromptsOptions) {
    this.#options = options
    options.session.listen(({ event }) => {
      if (event.type === 'turn.started' && this.#unwanted.delete(event.turnId)) void this.#cancelTurn(event.turnId)
    })
  }

  /** Whether a prompt is open. */
  get isBusy(): boolean {
    return this.#open > 0
  }

  async run(prompt: Prompt, signal: AbortSignal): Promise<PromptResponse> {
    this.#open += 1
    const stop = new AbortController()
    const give = (): void => stop.abort()
    signal.addEventListener('abort', give, { once: true })
    this.#beginning.add(stop)
    try {
      if (prompt.isCompaction === true) return await this.#compact(stop.signal)
      const admitted = await this.#admit(prompt, stop)
      if (admitted === 'cancelled') return CANCELLED
      const { turnId, ended } = admitted
      const cancel = (): void => void this.#cancelOne(turnId)
      signal.addEventListener('abort', cancel, { once: true })
      if (signal.aborted) cancel()
      return toPromptResponse(await ended, this.#options.options.profile)
    } finally {
      this.#open -= 1
      signal.removeEventListener('abort', give)
      this.#beginning.delete(stop)
    }
  }

  /** Cancels the active turn, also one that another client started. Queued inputs stay. */
  async cancel(): Promise<void> {
    const { own } = this.#options.session
    // While a turn is open, prompts that are being admitted belong to the queue.
    if (own.size === 0) for (const stop of [...this.#beginning].slice(0, 1)) stop.abort()
    await this.#admission
    const { active } = own
    await this.#cancelTurn(undefined)
    if (active !== undefined) this.#endInTime(active, CANCEL_MS)
  }

  /** Cancels every turn that this connection started, including queued ones. */
  async cancelOwn(): Promise<void> {
    for (const stop of this.#beginning) stop.abort()
    await this.#admission
    const { session, deps, options } = this.#options
    const { own, sessionId } = session
    if (own.size === 0) return
    const { queued, turnId } = await session.view()
    const isActive = turnId !== undefined && own.has(turnId)
    const areAllOurs = queued === own.size - (isActive ? 1 : 0)
    for (const id of own.ids()) {
      if (id !== turnId) this.#unwanted.add(id)
      this.#endInTime(id, LEAVE_MS)
    }
    if (!isActive && !areAllOurs) return
    const reason = 'the client left'
    // Naming a turn that is not active drops only the queue.
    const target = isActive ? turnId : own.ids()[0]
    await deps.engine.execute({
      type: 'cancel-turn',
      userId: options.userId,
      sessionId,
      ...(target !== undefined && { turnId: target }),
      reason,
      dropQueue: areAllOurs,
    })
  }

  /** Resolves when every prompt is answered. */
  async answered(): Promise<void> {
    const { own } = this.#options.session
    await Promise.all(own.ids().map(async (turnId) => own.ended(turnId)))
  }

  async #admit(prompt: Prompt, stop: AbortController): Promise<BegunTurn | 'cancelled'> {
    const before = this.#admission
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#admission = promise
    try {
      await before
      await unlessAborted(this.#options.ready, stop.signal)
      if (stop.signal.aborted) return 'cancelled'
      this.#beginning.delete(stop)
      return await this.#startTurn(prompt)
    } finally {
      resolve()
    }
  }

  async #startTurn({ content, blobs, given, typed, idempotency }: Prompt): Promise<BegunTurn> {
    const { session, deps, options } = this.#options
    const isSeed = options.profile === 'seed'
    const isBusy = session.own.size > 0
    if (isSeed && isBusy) throw invalidRequest('the session already has an active turn', 'session_busy')
    const answered = isSeed ? undefined : session.answerInWords(textOf(content))
    if (answered !== undefined) return { turnId: answered, ended: session.own.add(answered) }
    return session.holding(async () => {
      if (typed !== undefined) await this.#titleBy(typed)
      const admitted = await deps.engine.execute({
        type: 'start-turn',
        userId: options.userId,
        sessionId: session.sessionId,
        content,
        blobs,
        ...(given && { given }),
        ...settingsOf(options),
        whenRunning: isSeed ? 'refuse' : 'queue',
        whenWaiting: isBusy ? 'queue' : 'supersede',
        ...(idempotency && { idempotency }),
      })
      const ended = session.own.add(admitted.turnId)
      if (admitted.repeated) await this.#joinAgain(admitted)
      return { turnId: admitted.turnId, ended }
    })
  }

  /** Otherwise the title of the session begins with the text of a file, or of a command's prompt. */
  async #titleBy(typed: string): Promise<void> {
    const { session, deps, options } = this.#options
    const title = titleOf(typed)
    const { sessionId } = session
    if (title === undefined || (await session.view()).title !== undefined) return
    await deps.engine.execute({ type: 'configure-session', userId: options.userId, sessionId, changes: { title } })
  }

  /** A repeated prompt joins its first turn, which may have ended long ago. */
  async #joinAgain({ turnId, seq }: AdmittedTurn): Promise<void> {
    const { session, deps, options } = this.#options
    const attachment = await deps.engine.attach(options.userId, session.sessionId, {
      after: { seq: seq - 1 },
      reader: {
        recorded: (recorded) => this.#endIfEnded(recorded, turnId),
        delta: () => undefined,
        closed: () => undefined,
      },
    })
    attachment.detach()
  }

  #endIfEnded({ event }: Recorded, turnId: TurnId): void | 'enough' {
    if (event.type !== 'turn.ended' || event.turnId !== turnId) return undefined
    this.#options.session.own.end(turnId, { outcome: event.outcome, ...(event.error && { error: event.error }) })
    return 'enough'
  }

  #compact(signal: AbortSignal): Promise<PromptResponse> {
    const { session, deps, options } = this.#options
    return runCompaction({ engine: deps.engine, userId: options.userId, session, signal })
  }

  async #cancelOne(turnId: TurnId): Promise<void> {
    const { own } = this.#options.session
    if (own.active !== turnId) this.#unwanted.add(turnId)
    await this.#cancelTurn(turnId)
    if (own.active === turnId) this.#endInTime(turnId, CANCEL_MS)
  }

  async #cancelTurn(turnId: TurnId | undefined): Promise<void> {
    const { session, deps, options } = this.#options
    const { userId } = options
    const { sessionId } = session
    try {
      await deps.engine.execute({
        type: 'cancel-turn',
        userId,
        sessionId,
        ...(turnId !== undefined && { turnId }),
        reason: 'the client cancelled',
        dropQueue: false,
      })
    } catch (error) {
      deps.log({ level: 'warn', message: 'a turn could not be cancelled', sessionId, error })
    }
  }

  #endInTime(turnId: TurnId, ms: number): void {
    const { deps, session } = this.#options
    const timer = deps.clock.setTimer(ms, () => session.own.end(turnId, { outcome: 'cancelled' }))
    void session.own.ended(turnId)?.finally(() => timer.cancel())
  }
}

function settingsOf({ recovery, keyId }: AcpConnectionOptions): { readonly settings?: TurnSettings } {
  if (recovery === 'continue' && keyId === undefined) return {}
  return { settings: { ...(recovery === 'interrupt' && { recovery }), ...(keyId !== undefined && { keyId }) } }
}

function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
    work.then(resolve, reject)
  })
}
