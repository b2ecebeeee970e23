import { isObject } from './is-object.ts'

/** What the client advertised. A missing ability counts as unsupported. */
export interface ClientAbilities {
  readonly fillsForms: boolean
  readonly showsNotices: boolean
  readonly showsCompactions: boolean
  readonly readsFiles: boolean
  readonly writesFiles: boolean
  readonly hasTerminals: boolean
}

/** Every ability, for the presentation of a log. */
export const STANDARD_CLIENT: ClientAbilities = {
  fillsForms: true,
  showsNotices: true,
  showsCompactions: true,
  readsFiles: false,
  writesFiles: false,
  hasTerminals: false,
}

export function readAbilities(capabilities: Readonly<Record<string, unknown>>): ClientAbilities {
  const within = (outer: string, inner: string): boolean => {
    const group = capabilities[outer]
    return isObject(group) && isObject(group[inner])
  }
  const { fs, terminal } = capabilities
  const files = isObject(fs) ? fs : {}
  return {
    fillsForms: within('elicitation', 'form'),
    showsNotices: within('session', 'notices'),
    showsCompactions: within('session', 'compaction'),
    readsFiles: files['readTextFile'] === true,
    writesFiles: files['writeTextFile'] === true,
    hasTerminals: terminal === true,
  }
}
