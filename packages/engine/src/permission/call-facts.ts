/** What a tool says of one call before it runs. Recorded with the call, so keep texts short. */
export interface CallInspection {
  readonly facts: CallFacts
  readonly preview?: CallPreview
}

/** All that a judge needs to know of a call; which tool it is of no longer matters. */
export type CallFacts =
  /** Judged by the effect of its tool: own and MCP tools. */
  | { readonly type: 'plain' }
  /** `outside`: a path that is not below one of the roots, or not an ordinary file. Nothing makes that allowed. */
  | { readonly type: 'read-files'; readonly outside?: string }
  | { readonly type: 'write-files'; readonly outside?: string }
  | ShellFacts
  | FetchFacts
  /** Keeps something of the session's own: a plan of steps, a memory. */
  | { readonly type: 'notes' }
  | { readonly type: 'skill' }
  /** Asks the user. */
  | { readonly type: 'question' }
  /** Starts a sub-agent, whose own calls are judged each for itself. */
  | { readonly type: 'agent' }

export interface ShellFacts {
  readonly type: 'shell'
  /** `safe`: one command of the safe list. `sensitive`: writes to a file that shells or credentials live in. */
  readonly risk: 'safe' | 'other' | 'sensitive' | 'dangerous'
  /** What no mode and no rule allows, in a few words. */
  readonly hardline?: string
  /** The parser understood every part of it. */
  readonly isUnderstood: boolean
  /** It runs another command that it is given (`env`, `sh -c`, `xargs`, `sudo`, …). */
  readonly hasWrapper: boolean
  /** A limit of the parser that it exceeds. */
  readonly exceeds?: string
}

export interface FetchFacts {
  readonly type: 'fetch'
  /** In lower case, without port; absent when the URL cannot be parsed. */
  readonly host?: string
  /** An address literal that is private, loopback, link-local or otherwise not of the public network. */
  readonly isPrivateAddress: boolean
}

/** How a call is shown before, while and after it runs. */
export interface CallPreview {
  /** Human-readable: `Edit src/a.ts`. */
  readonly title?: string
  readonly locations?: readonly FileLocation[]
  readonly diffs?: readonly FileDiff[]
}

export interface FileLocation {
  /** Absolute. */
  readonly path: string
  /** Counted from 1. */
  readonly line?: number
}

/** `oldText` is absent for a new file. */
export interface FileDiff {
  readonly path: string
  readonly oldText?: string
  readonly newText: string
}
