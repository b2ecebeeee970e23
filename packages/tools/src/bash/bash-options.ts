import type { EditorOf } from '@polylogue/engine'
import type { BackgroundProcesses } from '../background/background-processes.ts'
import type { CommandLimits } from './command-limits.ts'
import type { ProtectedSet } from '../protected/protected-set.ts'

export interface BashToolOptions {
  /** For what must survive a crash; see `sweepLeftovers`. */
  readonly stateDir: string
  /** Long outputs go to a file below it, in a folder per session. */
  readonly outputDir: string
  /** `auto`: bubblewrap where it works. `required`: no command runs without it. Default `auto`. */
  readonly sandbox?: 'auto' | 'none' | 'required'
  /** Whether sandboxed commands have a network. Default: no. */
  readonly network?: boolean
  /** No sandbox holds the commands: the judge gives the tool to the server's own user alone. */
  readonly isUnconfined?: boolean
  /** What commands must not touch. Default: what is protected on every machine. */
  readonly protectedSet?: ProtectedSet
  /** Paths that sandboxed commands may read besides programs and their workspace. */
  readonly readable?: readonly string[]
  /** Folders of skills, whose scripts commands may run. */
  readonly skills?: readonly string[]
  /** The user who runs the server. In the sandbox, commits of this user have the name and address that Git knows here. */
  readonly ownUser?: string
  /** Default: bash, or `/bin/sh` where there is none. */
  readonly shell?: string
  /** Variables that commands get besides the usual ones. */
  readonly environment?: Readonly<Record<string, string>>
  /** Default 64 MiB: a command that prints more is stopped. */
  readonly mostOutputBytes?: number
  /** What a command may use at most, where it differs from the defaults. */
  readonly limits?: Partial<CommandLimits>
  /** Keeps commands that go on after their call. Absent: none can. */
  readonly processes?: BackgroundProcesses
  /** The editor in whose terminals commands run, where it offers them. Absent: they run here. */
  readonly editorOf?: EditorOf | undefined
}
