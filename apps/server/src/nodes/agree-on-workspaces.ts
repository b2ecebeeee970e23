// `--workspaces` names a directory that all nodes share. It contains a marker, a file with a random nonce, and the database
// remembers the nonce. A node that finds another nonce, or an empty directory because nothing is mounted there, is refused.
import type { NodeRole, SharedStorage } from '@polylogue/engine'
import { existsSync, readFileSync } from 'node:fs'
import { readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createPrivateFile } from '../platform/private-file.ts'
import { randomBytes } from '../platform/random-bytes.ts'
import { EXIT_CONFIG, ServeError } from '../serve-error.ts'

const MARKER_NAME = '.polylogue-workspaces'
const SETTING = 'workspaces'
const NONCE = /^[0-9a-f]{32}$/

export interface NodeWorkspaces {
  readonly role: NodeRole
  /** The directory of `--workspaces`. It exists. */
  readonly directory?: string | undefined
}

/** The directory of `--workspaces`, as all nodes know it. */
export interface SharedDirectory {
  readonly path: string
  /** `false`: what is at the path now is another directory, or nothing. */
  isMounted(): Promise<boolean>
}

/** Rejects with a `ServeError` when turns on this node would not find the files that the other nodes write. */
export async function agreeOnWorkspaces(
  { agree, valuesOf }: Pick<SharedStorage, 'agree' | 'valuesOf'>,
  { role, directory }: NodeWorkspaces,
): Promise<SharedDirectory | undefined> {
  if (directory === undefined) {
    // The others do not take turns of other nodes over.
    const runsTurns = role === 'all' || role === 'worker'
    if (!runsTurns || (await valuesOf(SETTING)).length === 0) return undefined
    throw new ServeError(
      'The other nodes on this database keep the files of sessions in a shared directory: name it with --workspaces.',
      EXIT_CONFIG,
    )
  }
  const marker = join(directory, MARKER_NAME)
  // The nonce is no secret, and a volume may open the files on it to a group.
  const earlier = existsSync(marker) ? readFileSync(marker, 'utf8') : undefined
  const nonce = (earlier ?? createPrivateFile(marker, `${newNonce()}\n`)).trim()
  if (!NONCE.test(nonce)) throw new ServeError(`${marker} is damaged. Restore it, or remove it.`, EXIT_CONFIG)
  if (await agree(SETTING, [nonce])) return { path: directory, isMounted: createMarkerCheck(marker, nonce) }
  if (earlier === undefined) await rm(marker, { force: true })
  throw new ServeError(
    `The directory ${directory} is not the one of the other nodes on this database: give all nodes the same shared directory with --workspaces.`,
    EXIT_CONFIG,
  )
}

/** Asked before each turn, over a network: the marker is read again only when it is another file than before. */
function createMarkerCheck(marker: string, nonce: string): () => Promise<boolean> {
  let known: string | undefined
  return async () => {
    try {
      const { dev, ino, mtimeMs, ctimeMs } = await stat(marker)
      const found = [dev, ino, mtimeMs, ctimeMs].join()
      if (found === known) return true
      if ((await readFile(marker, 'utf8')).trim() !== nonce) return false
      known = found
      return true
    } catch {
      return false
    }
  }
}

const newNonce = (): string => Buffer.from(randomBytes(16)).toString('hex')
