import type { Door, Refusal } from './door.ts'

/** The body of a refusal, in the words of the door that owns the path. */
export type RefusalWords = (path: string, refusal: Refusal) => object

export function createRefusalWords(doors: readonly Door[]): RefusalWords {
  return (path, refusal) => findDoor(doors, path)?.refuse(refusal) ?? refuseWithError(refusal)
}

/** The words of most doors, and of paths that no door owns. */
export function refuseWithError({ message, code, errorId }: Refusal): object {
  return { error: message, ...(code !== undefined && { code }), ...(errorId !== undefined && { errorId }) }
}

/** The door that owns a path or URL. `/api` owns `/api`, `/api/x` and `/api?x`, but not `/apis`. */
export function findDoor(doors: readonly Door[], url: string): Door | undefined {
  const path = `${url.split(/[?#]/, 1)[0] ?? ''}/`
  let found: { readonly door: Door; readonly length: number } | undefined
  for (const door of doors) {
    for (const owned of door.paths) {
      if (owned.length > (found?.length ?? -1) && path.startsWith(`${owned}/`)) found = { door, length: owned.length }
    }
  }
  return found?.door
}
