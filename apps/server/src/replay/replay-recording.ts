import { createIds, decodeEvent, replayLog, type AgentDefinition, type ReplayReport } from '@polylogue/engine'
import { z } from 'zod'
import { randomBytes } from '../platform/random-bytes.ts'
import { sha256 } from '../platform/sha256.ts'
import { systemClock } from '../platform/system-clock.ts'
import { agentRecord, fromAgentRecord } from './agent-record.ts'

/** A session as a file: its log, what models were asked and answered, and its agents. */
export const recordingSchema = z.object({
  format: z.literal([1, 2]),
  /** The versions of its events, by type. Types that are not listed have version 1. Absent in format 1. */
  versions: z
    .record(z.string(), z.number())
    .default({ 'session.created': 2, 'session.configured': 2, 'step.answered': 2 }),
  events: z.array(z.object({ seq: z.number(), at: z.number(), event: z.looseObject({ type: z.string() }) })),
  /** JSON texts by their hash. */
  exchanges: z.record(z.string(), z.string()),
  agents: z.array(agentRecord),
})
export type Recording = z.infer<typeof recordingSchema>

export const giveWay = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Plays a recording through the engine and says where it would do something else today. */
export function replayRecording(given: unknown): Promise<ReplayReport> {
  const { events, versions, exchanges, agents } = recordingSchema.parse(given)
  const known = new Map(agents.map((record): [string, AgentDefinition] => [record.name, fromAgentRecord(record)]))
  return replayLog({
    events: events.map(({ seq, at, event }) => {
      const { type } = event
      return { seq, at, event: decodeEvent({ type, version: versions[type] ?? 1, data: JSON.stringify(event) }) }
    }),
    readBlob: async (hash) => {
      const text = exchanges[hash]
      return text === undefined ? undefined : new TextEncoder().encode(text)
    },
    parts: {
      agents: { find: (name) => known.get(name), list: () => [...known.values()] },
      digest: sha256,
      ids: createIds(systemClock, randomBytes, sha256),
      operator: { denyRules: [], hosts: { allow: [], block: [] } },
      rules: { listRules: async () => [], addRule: async () => undefined, bindRule: async () => undefined },
    },
    giveWay,
  })
}
