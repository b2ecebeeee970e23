import type { ModelOutput, ModelRequest, Tool, ToolEffect, ToolOutput } from '@polylogue/engine'
import { createFakeTool, type FakeModel } from '@polylogue/testkit'

/** A model call under way; the test says what the model answers and when. */
export interface Ask {
  readonly request: ModelRequest
  readonly signal: AbortSignal
  isOver: boolean
  answer(...outputs: ModelOutput[]): void
}

/** A tool run under way; its effect has happened, its result is up to the test. */
export interface Run {
  readonly sessionId: string
  readonly toolCallId: string
  readonly signal: AbortSignal
  isOver: boolean
  end(output: ToolOutput | Error): void
}

export const TOOL_EFFECTS: { readonly [tool: string]: ToolEffect } = {
  look: 'readonly',
  put: 'idempotent',
  pay: 'unsafe',
}

export interface ControlledAgent {
  readonly model: FakeModel
  readonly tools: readonly Tool[]
  readonly asks: readonly Ask[]
  readonly runs: readonly Run[]
}

/** A model and tools that do nothing by themselves. `onEffect` is told of each effect as it happens. */
export function createControlledAgent(onEffect: (sessionId: string, toolCallId: string) => void): ControlledAgent {
  const asks: Ask[] = []
  const runs: Run[] = []
  const tools = Object.entries(TOOL_EFFECTS).map(([name, effect]) =>
    createFakeTool(name, {
      effect,
      run: ({ sessionId, toolCallId, signal }) => {
        onEffect(sessionId, toolCallId)
        const done = Promise.withResolvers<ToolOutput>()
        const run: Run = {
          sessionId,
          toolCallId,
          signal,
          isOver: false,
          end(output) {
            run.isOver = true
            if (output instanceof Error) done.reject(output)
            else done.resolve(output)
          },
        }
        runs.push(run)
        return done.promise
      },
    }),
  )
  const model: FakeModel = {
    requests: [],
    push: () => undefined,
    async *stream(request, signal) {
      const queue: ModelOutput[] = []
      let wake = Promise.withResolvers<void>()
      const ask: Ask = {
        request,
        signal,
        isOver: false,
        answer(...outputs) {
          queue.push(...outputs)
          wake.resolve()
        },
      }
      asks.push(ask)
      for (;;) {
        for (let output = queue.shift(); output !== undefined; output = queue.shift()) {
          ask.isOver ||= output.type === 'finished' || output.type === 'failed'
          yield output
        }
        wake = Promise.withResolvers()
        await wake.promise
      }
    },
  }
  return { model, tools, asks, runs }
}
