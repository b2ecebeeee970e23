import { isObject } from './is-object.ts'
import { ASK_USER } from './light/initialize-answer.ts'

/** What the client advertised. A missing ability counts as unsupported. */
export interface ClientAbilities {
  readonly fillsForms: boolean
  /** The client names `_agentao.cn/ask_user` in its `_meta`. */
  readonly asksUsers: boolean
  readonly showsNotices: boolean
  readonly showsCompactions: boolean
  readonly readsFiles: boolean
  readonly writesFiles: boolean
  readonly hasTerminals: boolean
  /** `false`: the client shows the kind of an option instead of its name, and has one key per kind. */
  readonly showsOptionNames: boolean
}

/**
 * Clients that label options by their kind. Of several options of a kind, the last one gets the key:
 * https://github.com/olimorris/codecompanion.nvim, `request_permission.lua`, seen in 19.22.0. Delete the entry when it shows names.
 */
const LABELS_BY_KIND: ReadonlySet<string> = new Set(['CodeCompanion.nvim'])

/** Every ability, for the presentation of a log. */
export const STANDARD_CLIENT: ClientAbilities = {
  fillsForms: true,
  asksUsers: false,
  showsNotices: true,
  showsCompactions: true,
  readsFiles: false,
  writesFiles: false,
  hasTerminals: false,
  showsOptionNames: true,
}

export function readAbilities(capabilities: Readonly<Record<string, unknown>>, clientName?: string): ClientAbilities {
  const within = (outer: string, inner: string): boolean => {
    const group = capabilities[outer]
    return isObject(group) && isObject(group[inner])
  }
  const { fs, terminal } = capabilities
  const files = isObject(fs) ? fs : {}
  return {
    fillsForms: within('elicitation', 'form'),
    asksUsers: namesAskUser(capabilities['_meta']),
    showsNotices: within('session', 'notices'),
    showsCompactions: within('session', 'compaction'),
    readsFiles: files['readTextFile'] === true,
    writesFiles: files['writeTextFile'] === true,
    hasTerminals: terminal === true,
    showsOptionNames: clientName === undefined || !LABELS_BY_KIND.has(clientName),
  }
}

/** Clients list extensions as agents do: `_meta["_agentao.cn/extensions"]` is an array of `{method}`. */
function namesAskUser(meta: unknown): boolean {
  const listed = isObject(meta) ? meta['_agentao.cn/extensions'] : undefined
  return Array.isArray(listed) && listed.some((item) => isObject(item) && item['method'] === ASK_USER)
}
