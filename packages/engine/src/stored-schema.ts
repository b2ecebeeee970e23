import { z } from 'zod'
import type { EntryId, LoopId, SessionId, ToolCallId, TurnId, UserId } from './ids.ts'
import type { JsonObject, JsonValue } from './json.ts'

/**
 * The building blocks of the schemas for stored data. A schema here is the only definition of its shape: the type is
 * inferred from it with `Stored`. Rows are read far more often than they are written, so these schemas are kept cheap:
 * ids are plain strings and JSON is not searched, because a row always comes from `JSON.parse`.
 */

/** The type of stored data: immutable at every depth. `z.readonly()` would freeze each object, which costs time. */
export type Stored<Schema extends z.ZodType> = Immutable<z.output<Schema>>

type Immutable<T> = [JsonValue] extends [T] ? T : ImmutableMember<T>
type ImmutableMember<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Immutable<Item>[]
    : string extends keyof T
      ? JsonObject extends T
        ? T
        : { readonly [Key in keyof T]: Immutable<T[Key]> }
      : { readonly [Key in keyof T]: Immutable<T[Key]> }

const isString = (value: unknown): boolean => typeof value === 'string'
const id = <Id extends string>() => z.custom<Id>(isString, 'expected a string')

export const sessionId = id<SessionId>()
export const userId = id<UserId>()
export const turnId = id<TurnId>()
export const entryId = id<EntryId>()
export const toolCallId = id<ToolCallId>()
export const loopId = id<LoopId>()

export const json = z.custom<JsonValue>((value) => value !== undefined, 'expected a JSON value')
export const jsonObject = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'expected an object',
)

export const texts = z.record(z.string(), z.string())
export const names = z.array(z.string())
