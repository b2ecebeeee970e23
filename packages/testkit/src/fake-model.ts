import type { Model, ModelOutput, ModelRequest } from '@polylogue/engine'

/** One model step: a list of outputs. A function is awaited before the next output. */
export type FakeStep = readonly (ModelOutput | ((request: ModelRequest, signal: AbortSignal) => Promise<void> | void))[]

export interface FakeModel extends Model {
  /** All requests so far, as the model got them. */
  readonly requests: readonly ModelRequest[]
  /** The steps of the next calls. If none is left, the model answers `done`. */
  push(...steps: FakeStep[]): void
}

const USAGE = { inputTokens: 1, outputTokens: 1 }

export const says = (text: string): ModelOutput => ({ type: 'text', text })
export const thinks = (text: string): ModelOutput => ({ type: 'thinking', text })
export const calls = (id: string, name: string, input: unknown = {}): ModelOutput => ({
  type: 'tool-call',
  id,
  name,
  input,
})
export const finishes = (finish: 'stop' | 'tool-calls' | 'token-limit' | 'refused' = 'stop'): ModelOutput => ({
  type: 'finished',
  finish,
  usage: USAGE,
})

export function createFakeModel(...first: FakeStep[]): FakeModel {
  const steps = [...first]
  const requests: ModelRequest[] = []
  return {
    requests,
    push: (...more) => void steps.push(...more),
    async *stream(request, signal) {
      requests.push(request)
      const step = steps.shift() ?? [says('done'), finishes()]
      for (const output of step) {
        if (typeof output === 'function') await output(request, signal)
        else yield output
        if (signal.aborted) return
      }
    },
  }
}
