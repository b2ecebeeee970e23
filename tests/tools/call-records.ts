// The log of a session, read as an outsider reads it: by the names in its JSON, independent of the product's types.

export interface LoggedEvent {
  readonly seq: number
  readonly event: { readonly type: string; readonly toolCallId?: string; readonly [field: string]: unknown }
}

/** All that the log says of one call. */
export interface CallRecord {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
  /** Of a sub-agent; absent for the agent's own. */
  readonly loopId?: unknown
  /** What was said of it before it ran. */
  readonly facts?: unknown
  readonly preview?: unknown
  /** Why somebody was asked, each time. */
  readonly asked: readonly string[]
  /** The answers that were taken. */
  readonly answers: readonly boolean[]
  /** How often it began to run. */
  readonly runs: number
  readonly status?: unknown
  readonly output?: unknown
  readonly by?: unknown
  readonly meta?: unknown
  readonly changedFiles?: unknown
}

interface CallBlock {
  readonly type: string
  readonly toolCallId: string
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
}

interface Inspection {
  readonly facts: unknown
  readonly preview?: unknown
}

export function foldCalls(events: readonly LoggedEvent[]): ReadonlyMap<string, CallRecord> {
  const calls = new Map<string, CallRecord>()
  for (const { event } of events) {
    if (event.type === 'step.answered') {
      for (const [id, record] of callsIn(event)) calls.set(id, record)
      continue
    }
    const known = event.toolCallId === undefined ? undefined : calls.get(event.toolCallId)
    if (event.toolCallId !== undefined && known) calls.set(event.toolCallId, next(known, event))
  }
  return calls
}

function callsIn(event: LoggedEvent['event']): readonly (readonly [string, CallRecord])[] {
  const blocks = (event['blocks'] ?? []) as readonly CallBlock[]
  const inspections = (event['inspections'] ?? {}) as Readonly<Record<string, Inspection>>
  return blocks
    .filter(({ type }) => type === 'tool-call')
    .map(({ toolCallId, name, input }) => {
      const { facts, preview } = inspections[toolCallId] ?? {}
      const loop = event['loopId'] === undefined ? {} : { loopId: event['loopId'] }
      return [toolCallId, { name, input, ...loop, facts, preview, asked: [], answers: [], runs: 0 }] as const
    })
}

function next(call: CallRecord, event: LoggedEvent['event']): CallRecord {
  switch (event.type) {
    case 'approval.requested':
      return { ...call, asked: [...call.asked, String(event['reason'])] }
    case 'approval.resolved':
      return { ...call, answers: [...call.answers, event['granted'] === true] }
    case 'tool-call.started':
      return { ...call, runs: call.runs + 1 }
    case 'tool-call.settled': {
      const { status, output, by, meta, changedFiles } = event
      return { ...call, status, output, by, meta, changedFiles }
    }
    default:
      return call
  }
}
