import { z } from 'zod'
import { defineOperations, type Sent } from './operation.ts'

const queuedInput = z
  .object({
    inputId: z.string(),
    /** The turn that the message will start. */
    turnId: z.string(),
    text: z.string(),
    /** Images and files beside the text. */
    attachments: z.number(),
  })
  .meta({ id: 'ConsoleQueuedInput' })
export type QueuedInput = Sent<z.infer<typeof queuedInput>>

const tag = 'sessions'

export const queueOperations = defineOperations({
  readQueue: {
    method: 'GET',
    path: '/sessions/{id}/queue',
    tag,
    summary: 'List the messages that wait for the running turn to end, oldest first.',
    status: 200,
    answer: z.object({ inputs: z.array(queuedInput) }),
  },
  changeInput: {
    method: 'PATCH',
    path: '/sessions/{id}/queue/{input}',
    tag,
    summary: 'Reword a message that waits. It keeps its place, its images and its files.',
    status: 200,
    body: z.strictObject({ text: z.string().min(1).max(1_000_000) }),
    bodySize: 'conversation',
    answer: queuedInput,
    refusals: { 404: 'no such message waits' },
  },
  dropInput: {
    method: 'DELETE',
    path: '/sessions/{id}/queue/{input}',
    tag,
    summary: 'Drop a message that waits. A message that has started is not stopped by this.',
    status: 204,
    refusals: { 404: 'no such message waits' },
  },
})
