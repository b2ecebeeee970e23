import { isIP } from 'node:net'
import { providersSchema } from '@polylogue/models'
import { mcpServersSchema } from '@polylogue/tools'
import { z } from 'zod'
import { oidcSchema } from '../auth/oidc-schema.ts'
import { acpSchema } from '../acp/acp-settings.ts'
import { agentName, agentSchema, modelChoice, refuseRepeatedNames, toolsSchema } from './agent-schema.ts'
import { permissionsSchema } from '../permissions/permissions-schema.ts'
import { budgetsSchema, pricesSchema } from '../usage/cost-schema.ts'
import { limitsSchema } from './limits.ts'
import { bashSchema, webFetchSchema } from './tool-settings.ts'

const origin = z
  .string()
  .refine((text) => parseUrl(text)?.origin === text, 'must be an origin such as https://app.example')

/** `10.0.0.0/8`, `::1` or `192.0.2.7`. */
const network = z.string().refine((text) => {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const family = isIP(address)
  return family !== 0 && (bits === undefined || Number(bits) <= (family === 4 ? 32 : 128))
}, 'must be an address or a network such as 10.0.0.0/8')

export const configSchema = z.strictObject({
  agents: z.array(agentSchema).superRefine(refuseRepeatedNames).default([]),
  tools: toolsSchema.default([]),
  defaultAgent: agentName.optional(),
  defaultModel: modelChoice.optional(),
  providers: providersSchema.default({}),
  recovery: z.enum(['continue', 'interrupt']).default('continue'),
  limits: limitsSchema.prefault({}),
  permissions: permissionsSchema.prefault({}),
  prices: pricesSchema.default({}),
  budgets: budgetsSchema.prefault({}),
  acp: acpSchema.prefault({}),
  mcpServers: mcpServersSchema.prefault({}),
  bash: bashSchema.prefault({}),
  webFetch: webFetchSchema.prefault({}),
  skills: z.array(z.string().min(1).max(4096)).max(20).optional(),
  signIn: z.strictObject({ oidc: oidcSchema.exactOptional() }).prefault({}),
  retention: z.strictObject({ days: z.int().min(1).max(36_500).exactOptional() }).prefault({}),
  allowOrigins: z.array(origin).default([]),
  publicUrl: z
    .string()
    .refine((text) => parseUrl(text) !== undefined, 'must be an address such as https://agents.example')
    .optional(),
  /** The pages that may show a session in a frame. */
  embed: z
    .strictObject({
      hosts: z
        .array(origin.refine((text) => text.startsWith('https:'), 'must be an https origin'))
        .max(50)
        .default([]),
    })
    .prefault({}),
  trustedProxies: z.array(network).default([]),
})

function parseUrl(text: string): URL | undefined {
  const url = URL.parse(text)
  return url && /^https?:$/.test(url.protocol) ? url : undefined
}
