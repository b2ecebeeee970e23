import { z } from 'zod'

export const DEFAULT_TIMEOUT_MS = 120_000
const MOST_TIMEOUT_MS = 600_000
/** The time limit of a background command. */
export const BACKGROUND_MS = 12 * 3_600_000

export const bashInput = z.object({
  command: z
    .string()
    .min(1)
    .refine((command) => !command.includes('\0'), 'must not contain a NUL character')
    .refine((command) => command.isWellFormed(), 'must be well-formed Unicode')
    .describe('Run by bash -c in the working directory. No terminal, no standard input; each call starts anew.'),
  description: z.string().max(1000).optional().describe('What the command is for, in a few words'),
  timeoutMs: z
    .number()
    .int()
    .min(1)
    .max(MOST_TIMEOUT_MS)
    .optional()
    .describe(`Stopped after this time, default ${DEFAULT_TIMEOUT_MS}`),
  background: z
    .boolean()
    .optional()
    .describe('For servers and watchers: return at once and keep it running. Background shows its output and stops it'),
})
