import { z } from 'zod'

/** Lengths in code points, as in JSON Schema, after trimming. */
export const text = (least: number, most: number) =>
  z
    .string()
    .trim()
    .refine((value) => {
      const length = Array.from(value).length
      return length >= least && length <= most
    }, `must have ${least} to ${most} characters`)
    .meta({ minLength: least, maxLength: most })

/** A display name: well-formed Unicode without control characters. */
export const label = (most: number) =>
  text(1, most).refine((value) => value.isWellFormed() && !/\p{Cc}/u.test(value), 'must have no control characters')

/** A query parameter, which arrives as text. */
export const count = (least: number, most: number, usual: number) =>
  z.coerce.number().int().min(least).max(most).default(usual)

/** A time on the wire. */
export const time = z.string().meta({ format: 'date-time' })

export const toTime = (at: number): string => new Date(at).toISOString()

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

export const anyJson = z.custom<Json>((value) => value !== undefined)

/** The readonly type of what a schema describes. */
export type Sent<Schema extends z.ZodType> = DeepReadonly<z.output<Schema>>

/** The readonly type of what a client may send for a schema. */
export type Given<Schema extends z.ZodType> = DeepReadonly<z.input<Schema>>

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [key in keyof T]: DeepReadonly<T[key]> }
    : T
