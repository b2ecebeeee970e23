import type { Clock, RootPin, Surroundings, UserId, Workspace } from '@polylogue/engine'
import { findRepository, holdRoot, readGitState } from '@polylogue/tools'
import { arch, homedir, release, type } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { randomUUID } from 'node:crypto'
import { LOCAL_USER } from '../auth/key-ring.ts'
import { sha256 } from '../platform/sha256.ts'
import type { InstructionFile, InstructionTrust } from '../trust/instruction-files.ts'
import { describeEnvironment } from './describe-environment.ts'
import { describeInstructions } from './describe-instructions.ts'
import { describeSandbox, type ServerSandbox } from './describe-sandbox.ts'
import { readUserInstructions } from './read-user-instructions.ts'

export interface SurroundingsOptions extends ServerSandbox {
  readonly clock: Clock
  /** For copies of Git's state. */
  readonly stateDir: string
  readonly shell: string
  readonly instructions: InstructionTrust
  readonly env: Readonly<Record<string, string | undefined>>
}

const MOST_PARENTS = 16

/**
 * Describes the place of a session: directory, machine, date, Git, sandbox, and the instruction files of the user, the
 * parent directories and the project. Only sessions of `local` see what is above their own directories.
 */
export function createSurroundings(options: SurroundingsOptions): Surroundings {
  const { clock, stateDir, shell, instructions, env, sandbox, network } = options
  return {
    async describe({ userId, workspace, preset }, known) {
      const files = await unlessExchanged(workspace, () => findInstructions(workspace, userId, { instructions, env }))
      const facts = {
        workspace,
        platform: `${type()} ${release()} (${arch()})`,
        date: formatDate(clock.now()),
        shell: basename(shell),
        sandbox: describeSandbox({ sandbox, network, isLocal: userId === LOCAL_USER, preset }),
      }
      // Git's state is not part of it: it changes all the time, and the model can ask Git.
      const fingerprint = sha256(JSON.stringify([facts, workspace.roots, files?.map(({ path, text }) => [path, text])]))
      if (fingerprint === known) return undefined
      const reading = { folder: join(stateDir, 'git', randomUUID()) }
      const within = userId === LOCAL_USER ? {} : { within: workspace.roots }
      const git = (await unlessExchanged(workspace, () => readGitState(workspace.cwd, { ...reading, ...within }))) ?? {
        type: 'none' as const,
      }
      const text = [describeEnvironment({ ...facts, git }), describeInstructions(files ?? [])]
      return {
        fingerprint,
        text: text.filter((block) => block !== '').join('\n\n'),
        sources: (files ?? []).map(({ path, text: used, notice }) => ({
          path,
          use: used === undefined ? ('named' as const) : ('used' as const),
          ...(notice !== undefined && { notice }),
        })),
      }
    },
  }
}

/** `undefined`: a root is another directory than the one that the session opened, before or after the look. Its tools say why. */
async function unlessExchanged<Seen>(workspace: Workspace, look: () => Promise<Seen>): Promise<Seen | undefined> {
  if (!(await isInPlace(workspace))) return undefined
  const seen = await look()
  return (await isInPlace(workspace)) ? seen : undefined
}

async function isInPlace({ pins = [] }: Workspace): Promise<boolean> {
  const same = await Promise.all(pins.map(async (pin) => 'identity' in pin && (await isDirectory(pin))))
  return same.every(Boolean)
}

async function isDirectory({ path, identity }: Extract<RootPin, { identity: string }>): Promise<boolean> {
  const held = await holdRoot(path)
  await held?.close()
  return held?.identity === identity
}

/** The most general file first. */
async function findInstructions(
  { cwd }: Workspace,
  userId: UserId,
  { instructions, env }: Pick<SurroundingsOptions, 'instructions' | 'env'>,
): Promise<readonly InstructionFile[]> {
  const isLocal = userId === LOCAL_USER
  const found = isLocal ? [...(await readUserInstructions(env))] : []
  const folders = isLocal ? [...parentsOf(cwd, env['HOME'] ?? homedir()), cwd] : [cwd]
  for (const folder of folders) found.push(...(await instructions.read(folder, { mayTrust: isLocal })))
  return found
}

/**
 * The directories above, outermost first: up to the top of the repository, and inside the user's home. Anybody could
 * have put a file into another directory above, such as /tmp.
 */
function parentsOf(cwd: string, home: string): readonly string[] {
  const top = findRepository(cwd)
  const parents: string[] = []
  for (
    let folder = dirname(cwd);
    parents.length < MOST_PARENTS && dirname(folder) !== folder;
    folder = dirname(folder)
  ) {
    const isInRepository = top !== undefined && folder.length >= top.length
    if (!isInRepository && !folder.startsWith(`${home}/`)) break
    parents.unshift(folder)
  }
  return parents
}

function formatDate(now: number): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  return `${new Intl.DateTimeFormat('en-CA', { dateStyle: 'short', timeZone }).format(now)} (${timeZone})`
}
