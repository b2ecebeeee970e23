import {
  type Clock,
  type JsonObject,
  type LogEntry,
  type ModelMessage,
  type ModelOutput,
  type ModelRequest,
  type StepBlock,
  asToolCallId,
} from '@polylogue/engine'
import type { ModelSettings, ProviderConfig } from '../provider-config.ts'
import type { NamedModel } from '../provider-model.ts'
import { resolveModel } from '../resolve-model.ts'
import { type FakeProvider, startFakeProvider } from './fake-provider.ts'
import type { Wire } from './wire.ts'

export const TEST_KEY = 'sk-test-0123456789abcdef'

export function requestOf(messages: readonly ModelMessage[] | string, more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: 'Be brief.',
    messages: typeof messages === 'string' ? [{ role: 'user', content: messages }] : messages,
    tools: [],
    options: {},
    secretOptions: [],
    step: 0,
    purpose: 'answer',
    readBlob: () => Promise.reject(new Error('there are no images')),
    ...more,
  }
}

export const weather = {
  name: 'weather',
  description: 'Tells the weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
} as const

export const toolResult = (id: string, name: string, content: string, isError = false): ModelMessage => ({
  role: 'tool',
  toolCallId: asToolCallId(id),
  name,
  content,
  isError,
})

export async function collect(outputs: AsyncIterable<ModelOutput>): Promise<readonly ModelOutput[]> {
  const all: ModelOutput[] = []
  for await (const output of outputs) all.push(output)
  return all
}

/** Outputs with neighbouring texts joined, so that it does not matter how an answer was cut into pieces. */
export function joined(outputs: readonly ModelOutput[]): readonly ModelOutput[] {
  const all: ModelOutput[] = []
  for (const output of outputs) {
    const last = all.at(-1)
    if (last?.type === 'text' && output.type === 'text')
      all[all.length - 1] = { type: 'text', text: last.text + output.text }
    else if (last?.type === 'thinking' && output.type === 'thinking') {
      all[all.length - 1] = { type: 'thinking', text: last.text + output.text }
    } else all.push(output)
  }
  return all
}

/** As the testkit has it. */
interface FakeClock extends Clock {
  advance(ms: number): void
  pendingTimers(): number
}

export interface Setup extends AsyncDisposable {
  readonly provider: FakeProvider
  readonly model: NamedModel
  readonly clock: FakeClock
  /** How long each pause between two attempts was. */
  readonly pauses: readonly number[]
  readonly logged: readonly LogEntry[]
  /** Resolves when a pause of more than 20 seconds begins; it ends by the clock. */
  readonly longPause: Promise<void>
  /** What is recorded of an answer: without pieces of calls and notes about retries. */
  ask(request: ModelRequest | string, signal?: AbortSignal): Promise<readonly ModelOutput[]>
  /** Everything that the model sends. */
  askLive(request: ModelRequest | string): Promise<readonly ModelOutput[]>
}

/** A model and the server that it talks to. Short pauses between attempts take no time; all else goes by the clock. */
export type SetUp = (wire: Wire, config?: Partial<ProviderConfig>, settings?: ModelSettings) => Promise<Setup>

export function createSetUp(createClock: () => FakeClock): SetUp {
  return (wire, config, settings) => setUp(wire, createClock(), config, settings)
}

async function setUp(
  wire: Wire,
  clock: FakeClock,
  config: Partial<ProviderConfig> = {},
  settings: ModelSettings = {},
): Promise<Setup> {
  const provider = await startFakeProvider(wire)
  const pauses: number[] = []
  const logged: LogEntry[] = []
  const longPause = Promise.withResolvers<void>()
  const model = resolveModel(
    `test/${wire.model}`,
    {
      env: {},
      providers: { test: { kind: wire.kind, baseUrl: provider.baseUrl, apiKey: TEST_KEY, ...config } },
      clock: {
        now: clock.now,
        setTimer(ms, run) {
          if (ms < SHORTEST_DEADLINE) pauses.push(ms)
          if (ms > LONGEST_QUICK_PAUSE) {
            if (ms < SHORTEST_DEADLINE) longPause.resolve()
            return clock.setTimer(ms, run)
          }
          const timer = setImmediate(run)
          return { cancel: () => clearImmediate(timer) }
        },
      },
      random: () => 0.5,
      log: (entry) => void logged.push(entry),
    },
    { deadlines: DEADLINES, ...settings },
  )
  return {
    provider,
    model,
    clock,
    pauses,
    logged,
    longPause: longPause.promise,
    async ask(request, signal = new AbortController().signal) {
      const outputs = await collect(model.stream(typeof request === 'string' ? requestOf(request) : request, signal))
      return outputs.filter(({ type }) => type !== 'tool-input' && type !== 'retry')
    },
    askLive: (request) =>
      collect(model.stream(typeof request === 'string' ? requestOf(request) : request, new AbortController().signal)),
    async [Symbol.asyncDispose]() {
      await provider.stop()
      if (provider.faults.length > 0) throw new Error(`a request was not valid: ${provider.faults.join('\n')}`)
    },
  }
}

const LONGEST_QUICK_PAUSE = 20_000
const SHORTEST_DEADLINE = 100_000
export const DEADLINES = { firstByteMs: 1_000_000, idleMs: 2_000_000, totalMs: 10_000_000 }

/** The log of a first step and its two settled calls, as the engine would fold it. */
export function historyAfter(outputs: readonly ModelOutput[], model: string): readonly ModelMessage[] {
  return [
    { role: 'user', content: 'weather?' },
    { role: 'assistant', content: toBlocks(outputs), model },
    toolResult('call_1', 'weather', 'dry'),
    toolResult('call_2', 'weather', 'no such city', true),
  ]
}

/** What the engine records of an answer. */
export function toBlocks(outputs: readonly ModelOutput[]): readonly StepBlock[] {
  const blocks: StepBlock[] = []
  for (const output of outputs) {
    const last = blocks.at(-1)
    if (output.type === 'text' || output.type === 'thinking') {
      const isSame = last?.type === output.type && (last.type === 'text' || last.opaque === undefined)
      if (isSame) blocks[blocks.length - 1] = { type: output.type, text: last.text + output.text }
      else blocks.push({ type: output.type, text: output.text })
    } else if (output.type === 'opaque') {
      if (last?.type === 'thinking' || last?.type === 'tool-call')
        blocks[blocks.length - 1] = { ...last, opaque: output.data }
      else blocks.push({ type: 'thinking', text: '', opaque: output.data })
    } else if (output.type === 'tool-call') {
      const { id, name, input, opaque } = output
      blocks.push({
        type: 'tool-call',
        toolCallId: asToolCallId(id),
        name,
        input: input as JsonObject,
        ...(opaque && { opaque }),
      })
    }
  }
  return blocks
}
