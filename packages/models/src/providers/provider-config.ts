import { z } from 'zod'

/** The provider's wire format. */
export type ProviderKind = 'anthropic' | 'openai' | 'google' | 'openai-compatible' | 'bedrock' | 'vertex'

/** The least first. */
export const THINKING_EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const

export type ThinkingEffort = (typeof THINKING_EFFORTS)[number]

/** Limits on how long we wait for a provider. */
export interface Deadlines {
  /** From the request to the first byte of the answer. */
  readonly firstByteMs: number
  /** Between two pieces of the answer. */
  readonly idleMs: number
  /** For the whole answer, retries included. */
  readonly totalMs: number
}

export interface ModelSettings {
  /** How much the model should think. Absent: the provider decides. */
  readonly thinking?: ThinkingEffort
  readonly maxOutputTokens?: number
  /** Whether to send images. Absent: send them, and retry without when the provider rejects them. */
  readonly images?: boolean
  readonly deadlines?: Partial<Deadlines>
}

export interface ProviderConfig extends ModelSettings {
  /** `openai-compatible` if absent, for a provider that is not known by name. */
  readonly kind?: ProviderKind
  readonly baseUrl?: string
  readonly apiKey?: string
  /** The environment variable that holds the key. */
  readonly apiKeyEnv?: string
  /** The model for agents that name none. */
  readonly model?: string
  /** Azure: the name of the resource. */
  readonly resource?: string
  /** Bedrock: the region. Vertex: the location. */
  readonly region?: string
  /** Vertex: the project. */
  readonly project?: string
}

export type ProviderConfigs = { readonly [name: string]: ProviderConfig }

/** The environment, as `process.env` has it. */
export type Environment = { readonly [name: string]: string | undefined }

export const DEFAULT_DEADLINES: Deadlines = {
  firstByteMs: 60_000,
  // Some models think for a minute and more without sending a byte.
  idleMs: 120_000,
  totalMs: 15 * 60_000,
}

/** The HTTP client times out after five minutes of silence, so a longer deadline would never fire. */
const LONGEST_SILENCE_MS = 290_000
const LONGEST_ANSWER_MS = 24 * 60 * 60_000

const settings = {
  thinking: z.enum(THINKING_EFFORTS).optional(),
  maxOutputTokens: z.int().min(1).max(10_000_000).optional(),
  images: z.boolean().optional(),
  deadlines: z
    .strictObject({
      firstByteMs: z.int().min(1).max(LONGEST_SILENCE_MS).optional(),
      idleMs: z.int().min(1).max(LONGEST_SILENCE_MS).optional(),
      totalMs: z.int().min(1).max(LONGEST_ANSWER_MS).optional(),
    })
    .optional(),
}

const accountName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9.:-]{0,99}$/, 'must be letters, digits, ".", ":" or "-"')

/** `providers` in a configuration file. */
export const providersSchema = z.record(
  z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'must be 1 to 64 lower-case letters, digits, ".", "_" or "-"'),
  z.strictObject({
    kind: z.enum(['anthropic', 'openai', 'google', 'openai-compatible', 'bedrock', 'vertex']).optional(),
    baseUrl: z
      .string()
      .refine((text) => isBaseUrl(text), 'must be an address such as http://127.0.0.1:1234/v1, without a password')
      .optional(),
    apiKey: z.string().min(1).optional(),
    apiKeyEnv: z.string().min(1).optional(),
    model: z.string().min(1).optional(),
    // They become parts of a host name or a path.
    resource: accountName.optional(),
    region: accountName.optional(),
    project: accountName.optional(),
    ...settings,
  }) satisfies z.ZodType<ProviderConfig>,
)

/** A key in an address would end up in logs and error messages. */
export function isBaseUrl(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
}
