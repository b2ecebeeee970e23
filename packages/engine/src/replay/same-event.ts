// Whether two recorded events say the same. Ids are new in every run, so they are matched: an id of the log stands for one id
// of the replay, everywhere.

/** Different in every run, or not decided by the engine. */
const NOT_COMPARED = new Set([
  'callHash',
  'durationMs',
  'liveBatches',
  'reservedBatches',
  'exchange',
  'cost',
  'keyId',
  'via',
])
const IDS = new Set([
  'turnId',
  'inputId',
  'stepId',
  'entryId',
  'parentEntryId',
  'toolCallId',
  'parentToolCallId',
  'loopId',
  'parentLoopId',
  'compactionId',
])

export class IdPairs {
  readonly #toToday = new Map<string, string>()
  readonly #toLogged = new Map<string, string>()

  today(logged: string): string {
    return this.#toToday.get(logged) ?? logged
  }

  logged(today: string): string {
    return this.#toLogged.get(today) ?? today
  }

  /** Returns whether the two can stand for each other. */
  match(today: string, logged: string): boolean {
    const [known, back] = [this.#toToday.get(logged), this.#toLogged.get(today)]
    if (known === undefined && back === undefined) {
      this.#toToday.set(logged, today)
      this.#toLogged.set(today, logged)
      return true
    }
    return known === today && back === logged
  }
}

/** The path of the first field that differs; `undefined`: none. */
export function findDifference(today: unknown, logged: unknown, ids: IdPairs): string | undefined {
  return compare(today, logged, { path: '', key: '', ids })
}

interface Place {
  readonly path: string
  readonly key: string
  readonly ids: IdPairs
}

function compare(today: unknown, logged: unknown, place: Place): string | undefined {
  const { path, key, ids } = place
  if (typeof today === 'string' && typeof logged === 'string' && IDS.has(key))
    return ids.match(today, logged) ? undefined : path
  if (!isObject(today) || !isObject(logged)) return Object.is(today, logged) ? undefined : path
  if (Array.isArray(today) !== Array.isArray(logged)) return path
  const named = new Map(Object.entries(today).map(([name, value]) => [ids.logged(name), value]))
  const names = new Set([...named.keys(), ...Object.keys(logged)])
  for (const name of names) {
    if (NOT_COMPARED.has(name)) continue
    const next = { path: path === '' ? name : `${path}.${name}`, key: Array.isArray(today) ? key : name, ids }
    const found = compare(named.get(name), logged[name], next)
    if (found !== undefined) return found
  }
  return undefined
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
