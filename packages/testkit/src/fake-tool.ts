import type { Tool, ToolEffect, ToolKind, ToolInvocation, ToolOutput } from '@polylogue/engine'

export interface FakeTool extends Tool {
  readonly invocations: readonly ToolInvocation[]
}

export interface FakeToolOptions {
  readonly effect?: ToolEffect
  readonly exposed?: boolean
  readonly kind?: ToolKind
  readonly inspect?: Tool['inspect']
  readonly run?: (invocation: ToolInvocation) => Promise<ToolOutput> | ToolOutput
}

/** A tool that records its calls. It refuses input with `bad: true`. */
export function createFakeTool(name: string, options: FakeToolOptions = {}): FakeTool {
  const invocations: ToolInvocation[] = []
  return {
    name,
    description: `the tool ${name}`,
    parameters: { type: 'object' },
    effect: options.effect ?? 'readonly',
    exposed: options.exposed ?? true,
    invocations,
    ...(options.kind && { kind: options.kind }),
    ...(options.inspect && { inspect: options.inspect }),
    check: (input) => (input['bad'] === true ? { ok: false, problem: 'bad: must not be true' } : { ok: true, input }),
    async run(invocation) {
      invocations.push(invocation)
      return options.run === undefined ? { content: `${name} ran` } : options.run(invocation)
    },
  }
}
