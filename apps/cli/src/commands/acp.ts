import { serveEditor, type AcpHandshake } from '@polylogue/server'
import { existsSync, realpathSync } from 'node:fs'
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
  // Nobody can be asked on an editor's pipe. The folder is the user's own, because it is never the editor's.
  const { approveFolder: _, ...rest } = options
  // Editors show stderr to people, some of them in the conversation.
  const owner = { ...rest, startDir: configDirectory(options.dataDir), log: 'warn' as const }
  await serveEditor({ owner, handshake: toHandshake(flags) })
  return ExitCode.done
}

/**
 * The configuration, which is a program, is read beside the data directory. An editor starts us in the folder that it
 * shows; whoever wrote that folder must not run anything, so it is never read.
 */
function configDirectory(dataDir: string): string {
  const directory = dirname(dataDir)
  return realPath(directory) === realPath(process.cwd()) ? homedir() : directory
}

const realPath = (path: string): string => (existsSync(path) ? realpathSync(path) : path)

function toHandshake({ agent, profile, resume, resumeReplay }: AcpFlags): AcpHandshake {
  return {
    profile,
    ...(agent !== undefined && { agent }),
    ...(resume !== undefined && {
      resume: { replay: resumeReplay, ...(typeof resume === 'string' && { selector: resume }) },
    }),
  }
}
