import { isObject } from './rpc/envelope.ts'

/** What a client said it can do, as far as it matters here. What it did not say, it cannot do. */
export interface ClientAbilities {
  readonly fillsForms: boolean
  readonly showsNotices: boolean
  readonly showsCompactions: boolean
}

export function readAbilities(capabilities: Readonly<Record<string, unknown>>): ClientAbilities {
  const within = (outer: string, inner: string): boolean => {
    const group = capabilities[outer]
    return isObject(group) && isObject(group[inner])
  }
  return {
    fillsForms: within('elicitation', 'form'),
    showsNotices: within('session', 'notices'),
    showsCompactions: within('session', 'compaction'),
  }
}
