import { z } from 'zod'
import { count, time } from './fields.ts'
import { defineOperations, type Sent } from './operation.ts'

const serverNode = z
  .object({
    nodeId: z.string(),
    /** `all`, `web`, `worker`, `editor` or `errand`. */
    role: z.string(),
    version: z.string(),
    machine: z.string(),
    pid: z.number(),
    /** Which recorded events it can read. */
    level: z.number(),
    /** Where other nodes reach it. */
    url: z.string().optional(),
    startedAt: time,
    /** Absent on a server with a database of its own. */
    leaseUntil: time.optional(),
    isAlive: z.boolean(),
    /** Whether this node answers the request. */
    isSelf: z.boolean(),
    /** The number of sessions that it runs. */
    sessions: count,
  })
  .meta({ id: 'ConsoleNode' })
export type ServerNode = Sent<z.infer<typeof serverNode>>

const sessionLease = z.object({ sessionId: z.string(), nodeId: z.string() }).meta({ id: 'ConsoleSessionLease' })
export type NodeLease = Sent<z.infer<typeof sessionLease>>

export const nodeOperations = defineOperations({
  readNodes: {
    method: 'GET',
    path: '/nodes',
    tag: 'server',
    summary: 'Read the nodes that use the same database, and which node runs which session. For the operator.',
    status: 200,
    answer: z.object({
      nodes: z.array(serverNode),
      /** At most 1,000, by session id. */
      leases: z.array(sessionLease),
    }),
    refusals: { 403: 'The caller is not the operator.' },
  },
})
