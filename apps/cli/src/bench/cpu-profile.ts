import { z } from 'zod'

/** The output of V8's profiler: a tree of calls, and the running node at each sample. */
const cpuProfile = z.object({
  nodes: z.array(
    z.object({
      id: z.number(),
      callFrame: z.object({ functionName: z.string(), url: z.string(), lineNumber: z.number() }),
      children: z.array(z.number()).optional(),
    }),
  ),
  samples: z.array(z.number()),
  /** Microseconds since the previous sample. */
  timeDeltas: z.array(z.number()),
})

export type CpuProfile = z.infer<typeof cpuProfile>

export const parseCpuProfile = (text: string): CpuProfile => cpuProfile.parse(JSON.parse(text))

/** One function on one stack, with everything it called. */
export interface Call {
  readonly name: string
  /** Where its code is: a file of ours, `hono`, `node:http`, or empty for code inside V8. */
  readonly place: string
  /** In the function itself. */
  selfMicros: number
  /** With everything it called. */
  totalMicros: number
  readonly calls: Call[]
}

/** Places are relative to `root`, the URL of the checkout. Idle time is left out. */
export function toCallTree({ nodes, samples, timeDeltas }: CpuProfile, root: string): Call {
  const self = new Map<number, number>()
  for (const [index, id] of samples.entries()) self.set(id, (self.get(id) ?? 0) + Math.max(0, timeDeltas[index] ?? 0))
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const toCall = (node: CpuProfile['nodes'][number]): Call => {
    const { functionName, url, lineNumber } = node.callFrame
    const calls = (node.children ?? []).flatMap((id) => {
      const child = byId.get(id)
      return child === undefined || child.callFrame.functionName === '(idle)' ? [] : [toCall(child)]
    })
    const selfMicros = self.get(node.id) ?? 0
    const totalMicros = calls.reduce((sum, call) => sum + call.totalMicros, selfMicros)
    return {
      name: functionName || '(anonymous)',
      place: toPlace(url, lineNumber, root),
      selfMicros,
      totalMicros,
      calls,
    }
  }
  const [first] = nodes
  if (first === undefined) throw new Error('The profile is empty.')
  return mergeCalls(toCall(first))
}

/** V8 reports a function twice below one caller if it was compiled again in between. */
function mergeCalls(call: Call): Call {
  const merged = new Map<string, Call>()
  for (const next of call.calls) {
    const key = `${next.name} ${next.place}`
    const same = merged.get(key)
    if (same === undefined) merged.set(key, { ...next, calls: [...next.calls] })
    else {
      same.selfMicros += next.selfMicros
      same.totalMicros += next.totalMicros
      same.calls.push(...next.calls)
    }
  }
  const calls = [...merged.values()].map(mergeCalls).toSorted((a, b) => b.totalMicros - a.totalMicros)
  return { ...call, calls }
}

function toPlace(url: string, lineNumber: number, root: string): string {
  if (url === '') return ''
  const [, dependency] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? []
  if (dependency !== undefined) return dependency
  const file = url.startsWith(root) ? url.slice(root.length) : url
  return file.startsWith('node:') ? file : `${file}:${lineNumber + 1}`
}
