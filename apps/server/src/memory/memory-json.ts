import { MEMORY_LIMITS, type Memory, type MemoryChanges, type MemoryQuery, type NewMemory } from '@polylogue/engine'
import { z } from 'zod'

/** In code points. */
const text = (longest: number) =>
  z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .refine((value) => Array.from(value).length <= longest, `must have at most ${longest} characters`)
const label = text(MEMORY_LIMITS.label)

const type = z.enum(['feedback', 'experience'])
const recordType = z.enum(['memory', 'skill-comment'])
const labels = {
  skillName: label.optional(),
  recordType: recordType.optional(),
  scope: label.optional(),
  owner: label.optional(),
  topic: label.optional(),
  externalId: label.optional(),
  writeReason: text(MEMORY_LIMITS.writeReason).optional(),
}

/** As ids come in an address. */
export const memoryId = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER)

export const newMemoryJson = z.strictObject({
  content: text(MEMORY_LIMITS.content),
  type: type.default('feedback'),
  ...labels,
  supersedes: z.int().min(1).optional(),
}) satisfies z.ZodType<NewMemory>

export const changesJson = z
  .strictObject({
    content: text(MEMORY_LIMITS.content).optional(),
    type: type.optional(),
    ...labels,
    disabled: z.boolean().optional(),
  })
  .transform(({ disabled, ...fields }): MemoryChanges => ({
    ...fields,
    ...(disabled !== undefined && { isDisabled: disabled }),
  }))

export const batchJson = z.strictObject({
  action: z.enum(['delete', 'disable', 'enable']),
  ids: z.array(z.int().min(1)).min(1).max(100),
})

export const listQuery = z
  .object({
    keyword: z.string().max(500).optional(),
    type: type.optional(),
    recordType: recordType.optional(),
    skillName: label.optional(),
    scope: label.optional(),
    owner: label.optional(),
    topic: label.optional(),
    status: z.enum(['enabled', 'disabled']).optional(),
    offset: z.coerce.number().int().min(0).default(0),
    limit: z.coerce.number().int().min(1).max(100).default(20),
  })
  .transform(({ status, ...query }): MemoryQuery => ({
    ...query,
    ...(status !== undefined && { isDisabled: status === 'disabled' }),
  }))

export function toMemoryJson({ memoryId: id, isDisabled, ...memory }: Memory) {
  return { id, ...memory, disabled: isDisabled }
}
