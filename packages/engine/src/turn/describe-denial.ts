import type { Preset } from '../events/session-settings.ts'
import type { CallFacts } from '../events/call-facts.ts'

export interface DeniedIn {
  readonly preset: Preset
  /** What kind of call it is. `undefined`: it could not be found out. */
  readonly act: CallFacts['type'] | undefined
}

/** Follows the name of the tool. */
export function describeDenial(reason: string, { preset, act }: DeniedIn): string {
  const [code = ''] = reason.split(':', 1)
  const detail = reason.slice(code.length + 1)
  switch (code) {
    case 'mode-preset':
      // These modes forbid no other addresses.
      if (act === 'fetch' && preset !== 'read-only') {
        return `may not read this address in mode ${preset}: it is on this machine, in a private network, or blocked`
      }
      return preset === 'plan' && act === 'shell'
        ? `is not allowed in mode ${preset}, except for single commands that only read, such as ls, grep or git diff`
        : `is not allowed in mode ${preset}`
    case 'dangerous':
      return `may not run this command in mode ${preset}: it ${detail}`
    case 'hardline':
      return `may never run this command: ${detail}`
    case 'path-policy':
      return 'may not touch a path outside of the workspace, or a file of the server itself'
    case 'protected-path':
      return `may not touch the protected path ${detail} in this session`
    case 'operator-rule':
      return 'was denied by a rule of the operator'
    case 'user-rule':
      return "was denied by one of the user's rules"
    case 'text-from-tool':
      return 'may not store a text that came from a tool result, because nobody can be asked'
    case 'no-sandbox':
      return 'is only for the user who runs the server, because no sandbox works here (bash.withoutSandbox)'
    default:
      return `was denied (${reason})`
  }
}
