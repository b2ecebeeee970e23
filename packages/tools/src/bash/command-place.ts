import { type BigIntStats, statSync } from 'node:fs'
import type { GrantedCall, Workspace } from '@polylogue/engine'
import { canBeShadowed } from '../git/shadow-repository.ts'
import type { ProtectedSet } from '../protected/protected-set.ts'
import { realPathOf } from '../real-path.ts'
import { type Sandbox, detectSandbox } from '../sandbox/detect-sandbox.ts'
import type { SandboxPlanner } from '../sandbox/plan-sandbox.ts'
import type { ToolCaches } from '../sandbox/tool-caches.ts'
import type { InspectionOptions } from '../shell/inspect-command.ts'
import type { BashToolOptions } from './bash-options.ts'

export interface BashParts {
  readonly options: BashToolOptions
  /** The tool whose calls run the commands. Default: `Bash`. */
  readonly tool?: string
  readonly protectedSet: ProtectedSet
  readonly planner: SandboxPlanner
  readonly caches: ToolCaches
  /** A Git configuration with the committer. `undefined` if Git knows none. */
  readonly gitIdentity: () => Promise<string | undefined>
}

/** The context for judging a command: where it runs, what is protected there, and whether it is sandboxed. */
export async function placeOf(workspace: Workspace, parts: BashParts): Promise<InspectionOptions> {
  const { cwd, roots, readable = [] } = workspace
  const isConfined = (await findSandbox(parts.options)) === 'bubblewrap'
  const view = parts.protectedSet.look()
  return {
    cwd,
    home: parts.planner.home,
    roots,
    readable,
    view,
    follow: realPathOf,
    isFolder,
    identify,
    isConfined,
    canReadGit: (folder) => canBeShadowed(folder, { isContained: isConfined }),
  }
}

export async function findSandbox({ sandbox }: BashToolOptions): Promise<Sandbox> {
  return sandbox === 'none' ? 'none' : detectSandbox()
}

/** The sandbox of a call. Rejects with a sentence when the operator wants one and there is none. */
export async function requireSandbox(options: BashToolOptions, place?: GrantedCall['place']): Promise<Sandbox> {
  const found = place === 'outside' ? 'none' : await findSandbox(options)
  if (found === 'none' && options.sandbox === 'required') {
    throw new Error('commands must run in a sandbox here, but bubblewrap is missing or not allowed to make one')
  }
  return found
}

/** A path from a command may have any form, such as a name that is too long. */
function identify(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    return undefined
  }
}

const isFolder = (path: string): boolean => identify(path)?.isDirectory() ?? false
