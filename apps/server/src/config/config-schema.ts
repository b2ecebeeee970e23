import { z } from 'zod'
import { agentName, agentSchema, refuseRepeatedNames, toolsSchema } from './agent-schema.ts'
import { limitsSchema } from './limits.ts'

const origin = z
  .string()
  .refine((text) => parseUrl(text)?.origin === text, 'must be an origin such as https://app.example')

export const configSchema = z.strictObject({
  agents: z.array(agentSchema).superRefine(refuseRepeatedNames).default([]),
  tools: toolsSchema.default([]),
  defaultAgent: agentName.optional(),
  recovery: z.enum(['continue', 'interrupt']).default('continue'),
  limits: limitsSchema.prefault({}),
  allowOrigins: z.array(origin).default([]),
  publicUrl: z
    .string()
    .refine((text) => parseUrl(text) !== undefined, 'must be an address such as https://agents.example')
    .optional(),
})

function parseUrl(text: string): URL | undefined {
  const url = URL.parse(text)
  return url && /^https?:$/.test(url.protocol) ? url : undefined
}
