import { closeSync, openSync } from 'node:fs'
import { probeProgram } from '../bash/run-program.ts'
import { machineProgram } from '../machine-program.ts'
import { createProtectedSet } from '../protected/protected-set.ts'
import { buildSandboxArgv } from './sandbox-argv.ts'
import { createSystemMounts } from './system-mounts.ts'

export type Sandbox = 'bubblewrap' | 'none'

export const SANDBOX_PROGRAM = 'bwrap'
/** Looked up together with it, before there is any command. */
const STARTERS = ['nice', 'mkfifo', 'git']

export interface SandboxAbility {
  readonly sandbox: Sandbox
  /** Whether it mounts folders by descriptor. Older versions mount by name only. */
  readonly mountsBy: 'descriptor' | 'name'
}

let detected: Promise<SandboxAbility> | undefined

/** Tries bubblewrap once, because it may be installed but not allowed to create namespaces. */
export function detectAbility(): Promise<SandboxAbility> {
  detected ??= probe()
  return detected
}

export async function detectSandbox(): Promise<Sandbox> {
  return (await detectAbility()).sandbox
}

async function probe(): Promise<SandboxAbility> {
  STARTERS.forEach(machineProgram)
  if (process.platform !== 'linux') return { sandbox: 'none', mountsBy: 'name' }
  const { mounts } = createSystemMounts(createProtectedSet({}).look())
  for (const mountsBy of ['descriptor', 'name'] as const) {
    const fd = openSync('/', 'r')
    try {
      const probed = { type: 'read', path: '/probe', ...(mountsBy === 'descriptor' && { fd: FIRST_FD }) } as const
      const args = buildSandboxArgv({ cwd: '/', mounts: [...mounts, probed], network: false })
      if (await probeProgram(machineProgram(SANDBOX_PROGRAM), [...args, '--', '/bin/true'], [fd]))
        return { sandbox: 'bubblewrap', mountsBy }
    } finally {
      closeSync(fd)
    }
  }
  return { sandbox: 'none', mountsBy: 'name' }
}

const FIRST_FD = 3
