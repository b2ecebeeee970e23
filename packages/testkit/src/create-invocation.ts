import {
  asSessionId,
  asToolCallId,
  asUserId,
  issueGrant,
  type GrantedCall,
  type JsonObject,
  type Tool,
  type ToolInvocation,
  type Workspace,
} from '@polylogue/engine'
import { testDigest } from './test-digest.ts'

export interface InvocationOptions {
  readonly workspace?: Workspace
  readonly signal?: AbortSignal
  readonly userId?: string
  readonly toolCallId?: string
  readonly progress?: (text: string) => void
  /** The fields of the grant besides tool, input and directory. */
  readonly granted?: Pick<GrantedCall, 'guarded' | 'isHarmless' | 'textFrom' | 'network' | 'writes' | 'place'>
}

/** A granted call of this tool, as the engine would create it. */
export function createInvocation(tool: Tool, input: JsonObject, options: InvocationOptions = {}): ToolInvocation {
  const check = tool.check(input)
  if (!check.ok) throw new Error(check.problem)
  const workspace = options.workspace ?? { cwd: '/nowhere', roots: [] }
  return {
    sessionId: asSessionId('session'),
    userId: asUserId(options.userId ?? 'user'),
    toolCallId: asToolCallId(options.toolCallId ?? 'tc_1'),
    input: check.input,
    attempt: 1,
    signal: options.signal ?? new AbortController().signal,
    workspace,
    grant: issueGrant({ tool: tool.name, input, cwd: workspace.cwd, policy: 'test', ...options.granted }, testDigest),
    progress: options.progress ?? (() => {}),
  }
}
