import { serveEditor, type AcpHandshake } from '@polylogue/server'
import { dirname } from 'node:path'
import { ExitCode } from '../exit-code.ts'
import { toOwnerOptions, type OwnerFlags } from '../owner-flags.ts'

export interface AcpFlags extends OwnerFlags {
  /** `true`: the session that changed last. */
  readonly resume?: string | true
  readonly resumeReplay: 'before' | 'after'
  readonly agent?: string
  readonly profile: 'standard' | 'seed'
}

/** Serves the editor that started this process, until it leaves. */
export async function acp(flags: AcpFlags): Promise<number> {
  const scripted = flags.scripted === true || flags.agent === 'scripted' || flags.agent === 'scripted-min'
  const options = toOwnerOptions({ ...flags, scripted })
  // An editor starts us in the folder that it shows. A configuration there is whoever's wrote that folder, and runs.
  const owner = { ...options, startDir: dirname(options.dataDir), log: 'info' as const }
  await serveEditor({ owner, handshake: toHandshake(flags) })
  return ExitCode.done
}

function toHandshake({ agent, profile, resume, resumeReplay }: AcpFlags): AcpHandshake {
  return {
    profile,
    ...(agent !== undefined && { agent }),
    ...(resume !== undefined && {
      resume: { replay: resumeReplay, ...(typeof resume === 'string' && { selector: resume }) },
    }),
  }
}
