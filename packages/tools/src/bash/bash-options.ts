import type { EditorOf } from '@polylogue/engine'
import type { BackgroundProcesses } from '../background/background-processes.ts'
import type { CommandLimits } from './command-limits.ts'
import type { ProtectedSet } from '../protected/protected-set.ts'

export interface BashToolOptions {
  /** For state that must survive a crash; see `sweepLeftovers`. */
  readonly stateDir: string
  /** Long outputs are saved here, in one folder per session. */
  readonly outputDir: string
  /** `auto`: bubblewrap where it works. `required`: no command runs without it. Default `auto`. */
  readonly sandbox?: 'auto' | 'none' | 'required'
  /** Whether every sandboxed command has network access. Default: only those whose grant says so. */
  readonly network?: boolean
  /** The size of a workspace's cache in MB. */
  readonly cacheMb?: number
  /** Commands run without a sandbox, so the judge offers the tool only to the user who runs the server. */
  readonly isUnconfined?: boolean
  /** Paths that commands must not touch. Default: the paths that are protected on every machine. */
  readonly protectedSet?: ProtectedSet
  /** Paths that sandboxed commands may read besides programs and their workspace. */
  readonly readable?: readonly string[]
  /** Folders of skills, whose scripts commands may run. */
  readonly skills?: readonly string[]
  /** The user who runs the server. In the sandbox, this user's commits carry the name and address that Git knows. */
  readonly ownUser?: string
  /** Default: bash, or `/bin/sh` where there is none. */
  readonly shell?: string
  /** Variables that commands get besides the usual ones. */
  readonly environment?: Readonly<Record<string, string>>
  /** A command that prints more is stopped. Default 64 MiB. */
  readonly mostOutputBytes?: number
  /** Resource limits that differ from the defaults. */
  readonly limits?: Partial<CommandLimits>
  /** Keeps background commands. If absent, commands cannot run in the background. */
  readonly processes?: BackgroundProcesses
  /** Editors that can run commands in their terminals. If absent, commands run on the server. */
  readonly editorOf?: EditorOf | undefined
}
