import { z } from 'zod'

/** Epoch milliseconds. */
export const time = z.number()
export const count = z.number()

/** From the strictest to the mildest. */
export const PRESETS = ['read-only', 'plan', 'workspace-write', 'full-access'] as const
export const preset = z.enum(PRESETS)

export const agentName = z.string().min(1).max(200)

/** A number in a query string. */
export const queryNumber = () => z.coerce.number<number | string>()

export const refusalBody = z
  .object({
    error: z.string(),
    /** Set when the engine refused, such as `session-not-found`. */
    code: z.string().optional(),
    /** Under this id the server logged a failure that it did not expect. */
    errorId: z.string().optional(),
  })
  .meta({ id: 'ConsoleRefusal' })
