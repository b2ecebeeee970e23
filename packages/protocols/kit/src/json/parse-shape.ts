/** The part of a zod schema that is used here. */
interface Schema<Result> {
  safeParse(value: unknown, context: { readonly abortEarly: true; readonly jitless?: boolean }): Result
}

/**
 * Parses what a client sent. Stops at the first wrong element: a list of a million wrong ones does not become a million
 * issues. Records do not stop, but an object has at most 10,000 keys.
 */
export function parseShape<Result>(schema: Schema<Result>, value: unknown): Result {
  return schema.safeParse(value, { abortEarly: true })
}
