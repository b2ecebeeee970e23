import { z } from 'zod'

/** The schema of one type of recorded event. */
export const defineEvent = <Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  z.object({ type: z.literal(type), ...shape })

/** A failure as data. `message` is a sentence that clients may see: no stack, path, key or provider response. */
export const failure = z.object({ code: z.string(), message: z.string() })
