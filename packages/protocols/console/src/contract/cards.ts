import { z } from 'zod'
import { time } from './fields.ts'
import { defineOperations } from './operation.ts'

export const cardOperations = defineOperations({
  openCard: {
    method: 'POST',
    path: '/sessions/{id}/cards/{call}',
    tag: 'sessions',
    summary: 'Make an address for the HTML that a tool gave for people. It works once, in a frame of the console.',
    status: 201,
    isLarge: true,
    body: z.strictObject({}),
    answer: z.object({
      /** A path of this server. */
      url: z.string(),
      expiresAt: time,
    }),
    refusals: { 404: 'the call has no card' },
  },
})
