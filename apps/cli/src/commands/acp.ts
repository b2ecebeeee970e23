import { serveEditor, type AcpHandshake } from '@polylogue/server'
import { homedir } from 'node:os'
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
  const owner = { ...options, startDir: configDirectory(options.dataDir, flags), log: 'info' as const }
  await serveEditor({ owner, handshake: toHandshake(flags) })
  return ExitCode.done
}

/**
 * Where the configuration is, which is a program: beside the data directory. An editor starts us in the folder that it shows,
 * and whoever wrote that folder must not have anything run by it, nor by a data directory that lies there.
 */
function configDirectory(dataDir: string, { data }: AcpFlags): string {
  const isNamed = data !== undefined || Boolean(process.env['POLYLOGUE_DATA'])
  const directory = dirname(dataDir)
  return isNamed || directory !== process.cwd() ? directory : homedir()
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
