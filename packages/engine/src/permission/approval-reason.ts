import { unreachable } from '../errors.ts'
import { spellOutLine } from '../spell-out.ts'

/** Why a call needs an approval. Recorded as a string in `approval.requested`, see `parseApprovalReason`. */
export type ApprovalReason =
  /** The session's preset asks before such calls. */
  | { readonly type: 'preset' }
  /** One of the user's own rules asks. */
  | { readonly type: 'user-rule' }
  /** The session lists its tools and does not trust this one. */
  | { readonly type: 'not-trusted' }
  /** A rule of the user allows the tool, but the tool's definition has changed since. */
  | { readonly type: 'definition-changed' }
  /** A rule of the user allows the tool, but the command asks for the network or for other folders. */
  | { readonly type: 'more-access' }
  /** The call failed because of its sandbox and would run again without one. `cause` is a sentence. */
  | { readonly type: 'run-outside'; readonly cause: string }
  /** The shell parser does not understand every part of the command. */
  | { readonly type: 'not-understood' }
  /** The call touches a protected path. */
  | { readonly type: 'protected-path'; readonly path: string }
  /** The call stores a text that came from the result of a tool. `tool` is empty if the result is not known. */
  | { readonly type: 'text-from-tool'; readonly tool: string }
  /** Recorded by another version, or none was recorded. */
  | { readonly type: 'other'; readonly recorded: string }

type Detailed = 'other' | 'protected-path' | 'text-from-tool' | 'run-outside'

const TYPES = new Map<string, Exclude<ApprovalReason, { type: Detailed }>['type']>([
  ['mode-preset', 'preset'],
  ['user-rule', 'user-rule'],
  ['not-trusted', 'not-trusted'],
  ['definition-changed', 'definition-changed'],
  ['more-access', 'more-access'],
  ['not-understood', 'not-understood'],
])

const PROTECTED_PATH = 'protected-path'
const TEXT_FROM_TOOL = 'text-from-tool'
export const RUN_OUTSIDE = 'run-outside'

/** Recorded reasons are `<code>` or `<code>:<detail>`, such as `mode-preset:Bash`. */
export function parseApprovalReason(recorded = ''): ApprovalReason {
  const [code = ''] = recorded.split(':', 1)
  if (code === PROTECTED_PATH) return { type: PROTECTED_PATH, path: recorded.slice(code.length + 1) }
  if (code === TEXT_FROM_TOOL) return { type: TEXT_FROM_TOOL, tool: recorded.slice(code.length + 1) }
  if (code === RUN_OUTSIDE) return { type: RUN_OUTSIDE, cause: recorded.slice(code.length + 1) }
  const type = TYPES.get(code)
  return type === undefined ? { type: 'other', recorded } : { type }
}

/** One sentence for the person who decides. */
export function describeApprovalReason(reason: ApprovalReason): string {
  switch (reason.type) {
    case 'preset':
      return "The session's mode asks before calls like this one."
    case 'user-rule':
      return 'One of your rules asks before this call.'
    case 'not-trusted':
      return 'The client that listed the tools of this session does not trust this one.'
    case 'definition-changed':
      return 'One of your rules allows this tool, but its server has changed its description or schema since. Look at it, then remove the rule and add it again.'
    case 'more-access':
      return 'One of your rules allows this tool, but not what this command needs besides.'
    case 'run-outside':
      return `${spellOutLine(reason.cause)} If you allow it, the same command runs again without the sandbox, with all your rights.`
    case 'not-understood':
      return 'Part of this command could not be parsed. Read it closely.'
    case 'protected-path':
      return `The call touches the protected path ${spellOutLine(reason.path)}.`
    case 'text-from-tool':
      return reason.tool === ''
        ? 'Most words of this text are not yours: a tool result may have written it.'
        : `Most words of this text are not yours: they came from a result of ${spellOutLine(reason.tool)}.`
    case 'other':
      return reason.recorded === ''
        ? 'This call needs your approval.'
        : `The recorded reason is ${spellOutLine(reason.recorded)}.`
    default:
      return unreachable(reason)
  }
}

export interface AskedAccess {
  readonly network?: readonly string[]
  readonly writes?: readonly string[]
}

const MOST_NAMED = 5

/** What a command gets besides its sandbox if it is approved, as sentences. Empty: nothing. */
export function describeAccess({ network, writes }: AskedAccess): string {
  return [
    ...(network ? [`With network: ${listed(network)}. The sandbox does not limit it to these hosts.`] : []),
    ...(writes ? [`With write access to ${listed(writes)}.`] : []),
  ].join(' ')
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMED).map(spellOutLine)
  const more = names.length - shown.length
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ')
}
