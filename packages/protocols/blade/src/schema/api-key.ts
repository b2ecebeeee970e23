import { z } from 'zod'
import { time, type Sent } from './fields.ts'

const apiKey = z.object({
  id: z.string(),
  name: z.string(),
  masked: z.string(),
  plaintext: z.null(),
  created_at: time,
  last_used_at: time.nullable(),
})
export const apiKeySchema = apiKey.meta({ id: 'ApiKey' })

export const newApiKeySchema = apiKey
  .extend({ plaintext: z.string().describe('The key itself. Only this answer shows it.'), key: apiKeySchema })
  .meta({ id: 'NewApiKey' })

export type ApiKey = Sent<typeof apiKeySchema>
