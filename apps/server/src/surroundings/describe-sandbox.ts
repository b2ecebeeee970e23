import type { Preset } from '@polylogue/engine'
import type { ToolSettings } from '../config/tool-settings.ts'
import type { Confinement } from '../platform/confinement.ts'

export interface ServerSandbox {
  readonly sandbox: Confinement['sandbox']
  /** As configured. */
  readonly network: ToolSettings['bash']['network']
}

export interface SandboxFacts extends ServerSandbox {
  /** The session is of the user who runs the server. */
  readonly isLocal: boolean
  readonly preset: Preset
}

/** What commands can do, for the model: it must recognise a failure that the sandbox caused. */
export function describeSandbox(facts: SandboxFacts): string {
  const { sandbox, isLocal, preset } = facts
  if (preset === 'read-only') return 'in this mode no command runs: read and search files, and change nothing'
  const planning = preset === 'plan' ? 'in this mode only single commands that read run, such as ls or git diff; ' : ''
  if (sandbox === 'none') return `${planning}none; commands have the rights of the user who runs the server`
  if (isLocal && preset === 'full-access') {
    return "bubblewrap, with the whole machine, writable, and a network; only the server's own files are hidden"
  }
  return (
    `${planning}bubblewrap, ${describeNetwork(facts)}. Commands write to the working directory and to ~/.cache, which is kept; /tmp and ` +
    'the rest of the home directory are empty and private to each command. A result says when the sandbox made a command fail.'
  )
}

function describeNetwork({ network, isLocal }: SandboxFacts): string {
  if (network === true) return 'with a network'
  if (network === 'everyone' || (network === 'local' && isLocal)) {
    return 'without a network, unless the user approves a command that shows that it needs one (npm install, curl URL, git push)'
  }
  return 'without a network: downloads and package registries fail'
}
