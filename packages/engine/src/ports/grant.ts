import type { JsonObject } from '../json.ts'

/** Exactly what will run, under which policy. */
export interface GrantedCall {
  readonly tool: string
  readonly input: JsonObject
  readonly cwd: string
  /** Digest of the policy that it was judged by. */
  readonly policy: string
  /** Of the tool, where somebody else defines it. */
  readonly definition?: string
  /** The protected paths that the call may touch: those that its facts name, or `all` of them. */
  readonly guarded?: readonly string[] | 'all'
  /** The call was judged as one that only reads: it must run as one, or not at all. */
  readonly isHarmless?: true
}

/** The right to run one call once. Only this file makes one, and only the judge's caller asks it to. */
export interface Grant {
  readonly callHash: string
  readonly call: GrantedCall
}
