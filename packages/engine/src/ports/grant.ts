import type { JsonObject } from '../json.ts'

/** The exact call that will run, and the policy it was judged by. */
export interface GrantedCall {
  readonly tool: string
  readonly input: JsonObject
  readonly cwd: string
  /** Digest of the policy. */
  readonly policy: string
  /** Digest of the tool's definition, if a third party defines the tool. */
  readonly definition?: string
  /** The protected paths that the call may touch: those named by its facts, or `all`. */
  readonly guarded?: readonly string[] | 'all'
  /** The call was judged as a read-only command and must run as one. */
  readonly isHarmless?: true
  /** The call may use the network. */
  readonly network?: true
  /** Folders outside of the workspace that the call may write to. */
  readonly writes?: readonly string[]
  /**
   * Where the call runs. `machine`: in a sandbox that shows the whole machine except for the server's own files.
   * `outside`: without a sandbox. Absent: in the sandbox of its session.
   */
  readonly place?: 'machine' | 'outside'
  /** The text that the call stores came from the result of this tool. Empty: from a result that is not known. */
  readonly textFrom?: string
}

/** The right to run one call once. Only this file creates grants, and only for the code that calls the judge. */
export interface Grant {
  readonly callHash: string
  readonly call: GrantedCall
}
