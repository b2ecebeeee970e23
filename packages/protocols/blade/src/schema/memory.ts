import { z } from 'zod'
import { time, type Sent } from './fields.ts'

export const memorySchema = z
  .object({
    id: z.int(),
    type: z.enum(['feedback', 'experience']),
    content: z.string(),
    skill_name: z.string().nullable(),
    record_type: z.enum(['memory', 'skill_comment']).nullable(),
    scope: z.string().nullable(),
    owner: z.string().nullable(),
    topic: z.string().nullable(),
    mem0_id: z.string().nullable(),
    superseded_by: z.int().nullable(),
    write_reason: z.string().nullable(),
    created_at: time,
    updated_at: time.nullable(),
    hit_count: z.int().min(0),
    last_hit_at: time.nullable(),
    disabled: z.boolean(),
    source_session: z.string().describe('Empty for a memory that the user created.'),
  })
  .meta({ id: 'Memory' })

export type WireMemory = Sent<typeof memorySchema>
