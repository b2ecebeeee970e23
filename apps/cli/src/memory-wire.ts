// What the owner answers about memories, as far as the verbs read it. Unknown fields are kept for --json.
import { z } from 'zod'

export const memoryAnswer = z.looseObject({
  id: z.number(),
  type: z.string(),
  content: z.string(),
  topic: z.string().optional(),
  supersededBy: z.number().optional(),
  createdAt: z.number(),
  hitCount: z.number(),
  disabled: z.boolean(),
})
export type MemoryAnswer = z.infer<typeof memoryAnswer>

export const memoryList = z.object({ memories: z.array(memoryAnswer), total: z.number() })
