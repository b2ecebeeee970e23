import { z } from 'zod'
import { time } from './fields.ts'
import { defineOperations, type Sent } from './operation.ts'

export const fileDiff = z.object({
  path: z.string(),
  /** Absent for a new file. */
  oldText: z.string().optional(),
  newText: z.string(),
  /** The line of the file that `oldText` starts at, from 1. Absent where it is not known, and for whole files. */
  line: z.number().optional(),
})

/** What an offer allows without asking again. */
const offered = z.discriminatedUnion('type', [
  /** This very call. `command`: the start of its command. */
  z.object({ type: z.literal('call'), command: z.string().optional() }),
  z.object({ type: z.literal('program'), program: z.string() }),
  /** `exceptDangerous`: commands that lose work or reach other people still ask. */
  z.object({ type: z.literal('tool'), tool: z.string(), exceptDangerous: z.boolean() }),
])

const offer = z.object({
  id: z.string(),
  /** The offer as an English sentence. */
  label: z.string(),
  scope: z.enum(['session', 'project']),
  what: offered,
})
export type CallOffer = Sent<z.infer<typeof offer>>

export const waitingCall = z
  .object({
    toolCallId: z.string(),
    turnId: z.string(),
    name: z.string(),
    /** Exactly what runs if the call is approved. */
    input: z.unknown(),
    /** `client`: only the client that brought the tool can give its result. */
    waitsFor: z.enum(['approval', 'answer', 'client']),
    /** Who wants what, and why somebody must answer. */
    sentence: z.string(),
    /** Absent for calls of the session's own agent. */
    subAgent: z.object({ agent: z.string(), description: z.string() }).optional(),
    title: z.string().optional(),
    diffs: z.array(fileDiff),
    approval: z
      .object({
        reason: z.enum([
          'preset',
          'user-rule',
          'not-trusted',
          'not-understood',
          'definition-changed',
          'more-access',
          'run-outside',
          'protected-path',
          'text-from-tool',
          'other',
        ]),
        /** Hash of exactly what will run. */
        callHash: z.string(),
        /** Whether it can be allowed for the rest of the session. */
        isCoverable: z.boolean(),
        /** The ways to always allow it, narrowest first. An answer names one by its `id`. */
        offers: z.array(offer),
        /** What that would cover, if not every call of the tool. */
        covers: z.string().optional(),
        /** What the call gets besides its sandbox, as sentences. */
        access: z.string().optional(),
        requestedAt: time,
      })
      .optional(),
  })
  .meta({ id: 'ConsoleWaitingCall' })
export type WaitingCall = Sent<z.infer<typeof waitingCall>>

export const waitingOperations = defineOperations({
  readWaiting: {
    method: 'GET',
    path: '/sessions/{id}/waiting',
    tag: 'sessions',
    summary: 'List the approvals and questions that a session waits for, each with a sentence about it.',
    status: 200,
    isLarge: true,
    answer: z.object({ calls: z.array(waitingCall) }),
  },
  answerApproval: {
    method: 'POST',
    path: '/sessions/{id}/calls/{call}/approval',
    tag: 'sessions',
    summary: 'Allow or deny a call that waits for approval.',
    status: 200,
    body: z.strictObject({
      granted: z.boolean(),
      /** An offer of the call: stop asking about what it covers, for the rest of the session. */
      offer: z.string().min(1).max(200).optional(),
      /** Of a denial. The model reads it. */
      reason: z.string().min(1).max(10_000).optional(),
    }),
    answer: z.object({ turnId: z.string() }),
    refusals: { 404: 'no such call waits', 409: 'somebody else has answered it' },
  },
})
