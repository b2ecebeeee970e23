import { z } from 'zod'
import { count, queryNumber, time } from './fields.ts'
import { defineOperations, type Sent } from './operation.ts'

/** In characters. The same as the engine's `MEMORY_LIMITS`. */
export const MEMORY_TEXT = { content: 500, label: 255, writeReason: 500 } as const

const text = (longest: number) =>
  z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .refine((value) => Array.from(value).length <= longest, `must have at most ${longest} characters`)
const label = text(MEMORY_TEXT.label)

const type = z.enum(['feedback', 'experience'])
const recordType = z.enum(['memory', 'skill-comment'])
const labels = {
  skillName: label.optional(),
  recordType: recordType.optional(),
  scope: label.optional(),
  owner: label.optional(),
  topic: label.optional(),
  externalId: label.optional(),
  writeReason: text(MEMORY_TEXT.writeReason).optional(),
}

export const memory = z
  .object({
    id: z.number(),
    type,
    content: z.string(),
    skillName: z.string().optional(),
    recordType: recordType.optional(),
    scope: z.string().optional(),
    owner: z.string().optional(),
    topic: z.string().optional(),
    externalId: z.string().optional(),
    writeReason: z.string().optional(),
    /** The memory that corrects this one. */
    supersededBy: z.number().optional(),
    createdAt: time,
    updatedAt: time.optional(),
    hitCount: count,
    lastHitAt: time.optional(),
    /** The session whose agent remembered it. Absent when the user wrote it down. */
    sourceSession: z.string().optional(),
    /** Whose words it holds. Absent in memories of older versions. */
    origin: z.enum(['user', 'tool']).optional(),
    /** The tool whose result it was, if that is known. */
    sourceTool: z.string().optional(),
    disabled: z.boolean(),
  })
  .meta({ id: 'ConsoleMemory' })
export type Memory = Sent<z.infer<typeof memory>>

const tag = 'memories'

export const memoryOperations = defineOperations({
  listMemories: {
    method: 'GET',
    path: '/memory',
    tag,
    summary: 'List your memories, newest first.',
    status: 200,
    query: z.object({
      keyword: z.string().max(500).optional(),
      type: type.optional(),
      recordType: recordType.optional(),
      skillName: label.optional(),
      scope: label.optional(),
      owner: label.optional(),
      topic: label.optional(),
      status: z.enum(['enabled', 'disabled']).optional(),
      offset: queryNumber().int().min(0).default(0),
      limit: queryNumber().int().min(1).max(100).default(20),
    }),
    answer: z.object({ memories: z.array(memory), total: count }),
  },
  addMemory: {
    method: 'POST',
    path: '/memory',
    tag,
    summary: 'Add a memory.',
    status: 201,
    body: z.strictObject({
      content: text(MEMORY_TEXT.content),
      type: type.default('feedback'),
      ...labels,
      supersedes: z.int().min(1).optional(),
    }),
    answer: memory,
  },
  changeMemories: {
    method: 'POST',
    path: '/memory/batch',
    tag,
    summary: 'Delete, disable or enable several memories.',
    status: 200,
    body: z.strictObject({
      action: z.enum(['delete', 'disable', 'enable']),
      ids: z.array(z.int().min(1)).min(1).max(100),
    }),
    answer: z.object({ count }),
  },
  readMemory: {
    method: 'GET',
    path: '/memory/{id}',
    tag,
    summary: 'Read a memory.',
    status: 200,
    answer: memory,
  },
  changeMemory: {
    method: 'PATCH',
    path: '/memory/{id}',
    tag,
    summary: 'Change a memory. Fields that are left out stay.',
    status: 200,
    body: z.strictObject({
      content: text(MEMORY_TEXT.content).optional(),
      type: type.optional(),
      ...labels,
      disabled: z.boolean().optional(),
    }),
    answer: memory,
  },
  removeMemory: {
    method: 'DELETE',
    path: '/memory/{id}',
    tag,
    summary: 'Remove a memory.',
    status: 204,
  },
})
