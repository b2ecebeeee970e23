import { createEngine, type EngineOptions } from '../engine/create-engine.ts'
import type { Engine } from '../engine/engine-api.ts'
import type { Recorded, RecordedEvent } from '../events/recorded-event.ts'
import type { ApprovalRequested, ToolCallSettled } from '../events/call-events.ts'
import { parseApprovalReason } from '../permission/approval-reason.ts'
import type { AgentDefinition } from '../ports/agent.ts'
import type { Model, ModelOutput, ModelRequest } from '../ports/model.ts'
import type { Tool } from '../ports/tool.ts'
import type { WorkspaceOwner } from '../ports/workspaces.ts'
import { readExchange, type KeptRequest } from '../turn/model-exchange.ts'
import { findEnd, toOutputs } from './outside.ts'
import { CallsUnderWay } from './calls-under-way.ts'
import { createReplayStore, type ReplayStore, type ReplayedSession } from './replay-store.ts'
import { IdPairs, findDifference } from './same-event.ts'

/** The parts of today's server that a replay uses. Models, tools and memories answer as they did. */
export type ReplayParts = Pick<
  EngineOptions,
  'agents' | 'digest' | 'ids' | 'operator' | 'rules' | 'prices' | 'budgets' | 'usage'
>

export interface SceneOptions extends Omit<ReplayedSession, 'past'> {
  readonly log: readonly Recorded[]
  /** How many events of the log are the past. */
  readonly from: number
  readonly parts: ReplayParts
  /** Today's request to a model differs from the recorded one in this field. */
  onRequest(seq: number, field: string | undefined): void
}

/** Today's engine in the world of a log: everything outside of it answers from the log, when it is released. */
export class ReplayScene {
  readonly engine: Engine
  readonly ids = new IdPairs()
  /** The replay is not at rest before these have answered. */
  readonly calls = new CallsUnderWay()
  readonly #options: SceneOptions
  readonly #kept: ReplayStore
  readonly #gates = new Map<number, PromiseWithResolvers<void>>()
  readonly #asked = new Set<number>()

  constructor(options: SceneOptions) {
    const { log, from, parts } = options
    const { readBlob } = this.calls.watch({ readBlob: options.readBlob })
    this.#options = { ...options, readBlob }
    this.#kept = createReplayStore({ ...options, readBlob, past: log.slice(0, from) })
    const agents = new Map<string, AgentDefinition>()
    const find = (name: string): AgentDefinition | undefined => {
      const today = parts.agents.find(name)
      if (today !== undefined && !agents.has(name)) agents.set(name, this.#agentOf(today))
      return agents.get(name)
    }
    this.engine = createEngine({
      ...parts,
      rules: this.calls.watch(parts.rules),
      ...(parts.usage && { usage: this.calls.watch(parts.usage) }),
      store: this.#kept.store,
      agents: { find, list: () => parts.agents.list().flatMap(({ name }) => find(name) ?? []) },
      models: { find: (modelName) => ({ modelName, model: this.#model }) },
      clock: { now: () => this.#now(), setTimer: () => ({ cancel: () => undefined }) },
      secretBox: { seal: () => new Uint8Array(), open: () => '' },
      memories: { recall: async () => this.#recall() },
      surroundings: { describe: async () => this.#describe() },
      workspaces: {
        locate,
        prepare: async (owner) => locate(owner),
        open: async () => undefined,
        remove: async () => {},
      },
      recovery: 'continue',
      owner: 'replay',
      log: () => undefined,
    })
  }

  get events(): readonly Recorded[] {
    return this.#kept.events
  }

  take(recorded: Recorded): void {
    this.#kept.inject(recorded)
  }

  /** Lets the model or the tool answer whose answer the log has at `seq`. */
  release(seq: number): void {
    this.#gate(seq).resolve()
  }

  #gate(seq: number): PromiseWithResolvers<void> {
    const gate = this.#gates.get(seq) ?? Promise.withResolvers<void>()
    this.#gates.set(seq, gate)
    return gate
  }

  #next = (): Recorded | undefined => this.#options.log[this.events.length]

  #now = (): number => this.#next()?.at ?? this.events.at(-1)?.at ?? 0

  #recall() {
    const event = this.#upcoming('memories.recalled')
    const never = { type: 'feedback', createdAt: 0, hitCount: 0, isDisabled: false } as const
    return (event?.memories ?? []).map((memory) => ({ ...never, ...memory }))
  }

  #describe() {
    const event = this.#upcoming('surroundings.noted')
    return event && { fingerprint: event.fingerprint, text: event.text, sources: event.sources }
  }

  /** What the log says before its next model call. */
  #upcoming<Type extends 'memories.recalled' | 'surroundings.noted'>(type: Type) {
    const { log } = this.#options
    for (const { event } of log.slice(this.events.length)) {
      if (event.type === type) return event as Extract<typeof event, { readonly type: Type }>
      if (event.type === 'step.started' || event.type === 'turn.ended') return undefined
    }
    return undefined
  }

  #agentOf(agent: AgentDefinition): AgentDefinition {
    return { ...agent, model: { ...this.#model, ...windowOf(agent.model) }, tools: agent.tools.map(this.#toolOf) }
  }

  #toolOf = (tool: Tool): Tool => {
    const { deepCheck: _deepCheck, inspect, ...rest } = tool
    return {
      ...rest,
      check: (input) => tool.check(input),
      ...(inspect && { inspect: async (input: unknown) => this.#inspection(tool, input) }),
      run: async ({ toolCallId, signal }) => {
        const { log } = this.#options
        const logged = this.ids.logged(toolCallId)
        const settled = log
          .slice(this.events.length)
          .find(({ event }) => isAttemptEnd(event) && event.toolCallId === logged)
        if (settled?.event.type === 'approval.requested' && settled.event.failed !== undefined) {
          const { reason, failed } = settled.event
          const asked = parseApprovalReason(reason)
          await Promise.race([this.#gate(settled.seq).promise, untilAborted(signal)])
          const blocked = asked.type === 'run-outside' ? asked.cause : ''
          return { content: failed.output, isError: true, blocked, ...(failed.meta && { meta: failed.meta }) }
        }
        if (settled?.event.type !== 'tool-call.settled' || settled.event.by !== 'tool') return untilAborted(signal)
        await Promise.race([this.#gate(settled.seq).promise, untilAborted(signal)])
        const { output, status, meta, changedFiles } = settled.event
        const blobs = typeof output === 'string' ? [] : output.flatMap(toBlob)
        return {
          content: output,
          blobs,
          ...(status === 'failed' && { isError: true }),
          ...(meta && { meta }),
          ...(changedFiles && { changedFiles }),
        }
      },
    }
  }

  /** What the tool said about this call when it was made. */
  async #inspection(tool: Tool, input: unknown) {
    const ids = new IdPairs()
    for (const { event } of this.#options.log.slice(this.events.length)) {
      if (event.type !== 'step.answered') continue
      for (const block of event.blocks) {
        if (block.type !== 'tool-call' || block.name !== tool.name) continue
        const found = event.inspections?.[block.toolCallId]
        const checked = tool.check(block.input)
        if (found !== undefined && checked.ok && findDifference(input, checked.input, ids) === undefined) return found
      }
    }
    throw new Error('the log does not say what this call would do')
  }

  readonly #model: Model = {
    stream: (request, signal) => this.#stream(request, signal),
  }

  async *#stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelOutput> {
    const { log, readBlob, onRequest } = this.#options
    const wanted = request.purpose === 'summary' ? 'compaction.started' : 'step.started'
    const begun = this.events.findLast(({ event, seq }) => event.type === wanted && !this.#asked.has(seq))
    const end = begun && findEnd(log, begun.seq)
    if (begun === undefined || end === undefined) {
      await untilAborted(signal).catch(() => undefined)
      return
    }
    this.#asked.add(begun.seq)
    const hash = 'exchange' in end.event ? end.event.exchange : undefined
    const exchange = hash === undefined ? undefined : await readExchange(hash, readBlob)
    if (exchange !== undefined) onRequest(begun.seq, this.#requestDifference(request, exchange.request))
    const isCut = end.event.type === 'step.ended' && end.event.outcome !== 'failed'
    if (!isCut) await Promise.race([this.#gate(end.seq).promise, untilAborted(signal).catch(() => undefined)])
    yield* exchange?.outputs ?? toOutputs(end.event)
    if (isCut) await untilAborted(signal).catch(() => undefined)
  }

  #requestDifference(today: ModelRequest, logged: KeptRequest): string | undefined {
    const { system, messages, tools, step, purpose, secretOptions } = today
    const options = Object.entries(today.options).map(([name, value]): [string, string | undefined] => [
      name,
      secretOptions.includes(name) ? logged.options[name] : value,
    ])
    const kept = { system, messages, tools, step, purpose, options: Object.fromEntries(options) }
    return findDifference(JSON.parse(JSON.stringify(kept)), logged, this.ids)
  }
}

/** A call ends with its result, or with the question whether it may run again without its sandbox. */
const isAttemptEnd = (event: RecordedEvent): event is ToolCallSettled | ApprovalRequested =>
  event.type === 'tool-call.settled' || (event.type === 'approval.requested' && event.failed !== undefined)

/** Tools do not run, so nothing is there. */
const locate = ({ directories }: WorkspaceOwner) => ({ cwd: directories[0] ?? '/', roots: [...directories] })

const windowOf = ({ contextWindow, tokensPerImage }: Model): Partial<Model> => ({
  ...(contextWindow !== undefined && { contextWindow }),
  ...(tokensPerImage !== undefined && { tokensPerImage }),
})

/** The store gives the bytes when somebody reads them. */
function toBlob(part: { readonly type: string; readonly source?: { readonly type: string; readonly hash?: string } }) {
  const { hash } = part.source ?? {}
  return hash === undefined ? [] : [{ hash, mediaType: 'image/png', bytes: new Uint8Array() }]
}

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const stop = (): void => reject(new Error('aborted'))
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
