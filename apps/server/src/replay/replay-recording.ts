import {
  createIds,
  decodeEvent,
  encodeEvent,
  replayLog,
  type AgentDefinition,
  type ReplayReport,
} from '@polylogue/engine'
import { z } from 'zod'
import { randomBytes } from '../platform/random-bytes.ts'
import { sha256 } from '../platform/sha256.ts'
import { systemClock } from '../platform/system-clock.ts'
import { agentRecord, fromAgentRecord } from './agent-record.ts'

/** A session as a file: its log, what models were asked and answered, and its agents. */
export const recordingSchema = z.object({
  format: z.literal(1),
  events: z.array(z.object({ seq: z.number(), at: z.number(), event: z.looseObject({ type: z.string() }) })),
  /** JSON texts by their hash. */
  exchanges: z.record(z.string(), z.string()),
  agents: z.array(agentRecord),
})
export type Recording = z.infer<typeof recordingSchema>

export const giveWay = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Plays a recording through the engine and says where it would do something else today. */
export function replayRecording(given: unknown): Promise<ReplayReport> {
  const { events, exchanges, agents } = recordingSchema.parse(given)
  const known = new Map(agents.map((record): [string, AgentDefinition] => [record.name, fromAgentRecord(record)]))
  return replayLog({
    events: events.map(({ seq, at, event }) => ({ seq, at, event: decodeEvent(encodeEvent(event as never)) })),
    readBlob: async (hash) => {
      const text = exchanges[hash]
      return text === undefined ? undefined : new TextEncoder().encode(text)
    },
    parts: {
      agents: { find: (name) => known.get(name), list: () => [...known.values()] },
      digest: sha256,
      ids: createIds(systemClock, randomBytes),
      operator: { denyRules: [], hosts: { allow: [], block: [] } },
      rules: { listRules: async () => [], addRule: async () => undefined, bindRule: async () => undefined },
    },
    giveWay,
  })
}
