/**
 * `AGENTS.md` and `CLAUDE.md` of a folder are instructions to the model that somebody else may have written, so a file is
 * used only if the person who runs the server has trusted its content:
 *
 * - with `polylogue trust`, or
 * - by opening the folder. When a session of `local` uses a file for the first time, the user is told its name and
 *   its hash is recorded.
 *
 * A file that has changed since is not used, and the user is told so. Sessions of other users never trust anything: the
 * record belongs to the person who runs the server.
 */
import { spellOutLine } from '@polylogue/engine'
import { createConfinedFiles, FileProblem, type OpenFile, type ProtectedSet } from '@polylogue/tools'
import { createHash } from 'node:crypto'
import { lstat, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { shellQuote } from '../platform/private-file.ts'
import { recordTrust, trustedHashOf, type TrustEnvironment } from './trust-record.ts'

export const INSTRUCTION_FILE_NAMES = ['AGENTS.md', 'CLAUDE.md'] as const

export interface InstructionFile {
  /** Without links. */
  readonly path: string
  /** Present only if the model may get it as instructions. */
  readonly text?: string
  /** A sentence that the user must see before the model gets the text, or that says why the model does not get it. */
  readonly notice?: string
}

export interface InstructionTrust {
  /** The instruction files of one folder. A link to another of them counts once. */
  read(folder: string, reader: InstructionReader): Promise<readonly InstructionFile[]>
}

export interface InstructionReader {
  /** The session belongs to `local`, who named the folder. Such a session trusts a file when it first uses it. */
  readonly mayTrust: boolean
}

export interface InstructionTrustOptions {
  readonly protectedSet: ProtectedSet
  readonly env: TrustEnvironment
}

const LARGEST_FILE = 128 * 1024

export function createInstructionTrust({ protectedSet, env }: InstructionTrustOptions): InstructionTrust {
  const files = createConfinedFiles({ protectedSet })
  return {
    async read(folder, { mayTrust }) {
      const found = await openAll(files, folder)
      return found.map(({ path, text, problem }) => {
        if (text === undefined)
          return { path, notice: `${spellOutLine(path)} is not used as instructions: ${problem}.` }
        const hash = hashOf(text)
        const trusted = trustedHashOf(path, env)
        if (trusted === hash) return { path, text }
        if (trusted !== undefined) return { path, notice: refusal(path, 'has changed since it was trusted', folder) }
        if (!mayTrust) return { path, notice: refusal(path, 'is not trusted', folder) }
        recordTrust({ [path]: hash }, env)
        return { path, text, notice: `${spellOutLine(path)} is used as instructions from now on, until it changes.` }
      })
    },
  }
}

/** Trusts the instruction files of a folder as they are now. Returns their paths. */
export async function trustInstructions(
  folder: string,
  { protectedSet, env }: InstructionTrustOptions,
): Promise<readonly string[]> {
  const found = await openAll(createConfinedFiles({ protectedSet }), folder)
  const hashes = found.flatMap(({ path, text }) => (text === undefined ? [] : [[path, hashOf(text)] as const]))
  if (hashes.length > 0) recordTrust(Object.fromEntries(hashes), env)
  return hashes.map(([path]) => path)
}

interface Found {
  readonly path: string
  readonly text?: string
  readonly problem?: string
}

async function openAll(files: ReturnType<typeof createConfinedFiles>, folder: string): Promise<readonly Found[]> {
  const root = await realpath(folder)
  const found = new Map<string, Found>()
  for (const name of INSTRUCTION_FILE_NAMES) {
    const path = join(root, name)
    if (!(await isThere(path))) continue
    const file = await files.open({ cwd: root, roots: [root] }, name, readText).catch((error: unknown) => {
      if (!(error instanceof FileProblem)) throw error
      return { path, problem: 'it is not an ordinary file of this folder' }
    })
    found.set(file.path, file)
  }
  return [...found.values()]
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path)
    return true
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    return false
  }
}

async function readText({ handle, stats, path }: OpenFile): Promise<Found> {
  if (stats.size > LARGEST_FILE) return { path, problem: `it is larger than ${LARGEST_FILE} bytes` }
  const bytes = Buffer.alloc(LARGEST_FILE)
  const { bytesRead } = await handle.read(bytes, 0, LARGEST_FILE, 0)
  return { path, text: bytes.toString('utf8', 0, bytesRead) }
}

const refusal = (path: string, state: string, folder: string): string =>
  spellOutLine(
    `${path} ${state}, so it is not used as instructions. Read it, then run: polylogue trust ${shellQuote(folder)}`,
  )

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')
