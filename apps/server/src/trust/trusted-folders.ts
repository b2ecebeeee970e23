/**
 * A configuration is a program, so one that is found in the current folder runs only after the user has trusted it. The
 * hash covers the configuration, the local files that it imports, `agents/`, `skills/` and other folders of skills that it
 * names, so a configuration must be trusted again after any of them has changed. Files are found as the server finds them,
 * through links too. A folder that has too much to read is refused, because a part of it would not be covered.
 */
import { createHash } from 'node:crypto'
import { closeSync, openSync, readFileSync, readSync, readdirSync, realpathSync, statSync, type Stats } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { CONFIG_FILE_NAMES } from '../config/config-file-names.ts'
import { LARGEST_MODULE, MOST_IMPORTS, findLocalImports, isModule } from '../platform/local-imports.ts'
import { EXIT_CONFIG, ServeError } from '../serve-error.ts'
import { recordTrust, trustedHashOf, type TrustEnvironment } from './trust-record.ts'

/** The files of a folder that would be run or read as configuration. */
export interface FolderConfig {
  /** The real path. */
  readonly folder: string
  /** Relative to the folder, sorted. */
  readonly files: readonly string[]
  readonly hash: string
}

const CHUNK = 1024 * 1024
const MOST_SKILL_FILES = 10_000
const MOST_BYTES = 256 * 1024 * 1024

/** `undefined`: the folder has no configuration. */
export function readFolderConfig(directory: string): FolderConfig | undefined {
  const folder = realpathSync(directory)
  const configs = CONFIG_FILE_NAMES.map((name) => join(folder, name)).filter(isFile)
  const imports = configs.flatMap(findLocalImports)
  const skills = new Set([join(folder, 'skills'), ...configs.flatMap((config) => foldersNamedIn(config, folder))])
  const files = new Set([...configs, ...imports, ...markdownIn(folder), ...[...skills].flatMap(skillsIn)])
  if (files.size === 0) return undefined
  const sorted = [...files].toSorted()
  if (imports.length >= MOST_IMPORTS) throw tooMuch(folder, `its configuration imports ${MOST_IMPORTS} files or more`)
  const sizes = sorted.map((file) => [file, statSync(file).size] as const)
  const unread = sizes.find(([file, size]) => isModule(file) && size > LARGEST_MODULE)
  if (unread !== undefined) throw tooMuch(folder, `${unread[0]} is larger than ${LARGEST_MODULE} bytes`)
  const bytes = sizes.reduce((sum, [, size]) => sum + size, 0)
  if (bytes > MOST_BYTES)
    throw tooMuch(folder, `its configuration, agents and skills have more than ${MOST_BYTES} bytes`)
  const hash = createHash('sha256')
  for (const file of sorted) hash.update(`${relative(folder, file)}\0${hashFile(file)}\0`)
  return { folder, files: sorted.map((file) => relative(folder, file)), hash: hash.digest('hex') }
}

const tooMuch = (folder: string, why: string): ServeError =>
  new ServeError(`${folder} cannot be trusted: ${why}.`, EXIT_CONFIG)

export function isTrusted({ folder, hash }: FolderConfig, env: TrustEnvironment): boolean {
  return trustedHashOf(folder, env) === hash
}

export function trustFolder({ folder, hash }: FolderConfig, env: TrustEnvironment): void {
  recordTrust({ [folder]: hash }, env)
}

function markdownIn(folder: string): readonly string[] {
  const agents = join(folder, 'agents')
  return namesIn(agents)
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(agents, name))
    .filter(isFile)
}

/** Skills are read without a configuration too, and an agent may run the files beside them. */
function skillsIn(directory: string): readonly string[] {
  const folders = namesIn(directory).map((name) => join(directory, name))
  return folders.filter((skill) => isFile(join(skill, 'SKILL.md'))).flatMap((skill) => filesBelow(skill))
}

function filesBelow(top: string): readonly string[] {
  const files: string[] = []
  const seen = new Set<string>()
  const folders = [top]
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    const real = realpathSync(at)
    if (seen.has(real)) continue
    seen.add(real)
    for (const name of namesIn(at)) {
      const path = join(at, name)
      if (isFile(path)) files.push(path)
      else folders.push(path)
      if (files.length + folders.length > MOST_SKILL_FILES) {
        throw tooMuch(top, `it has more than ${MOST_SKILL_FILES} files`)
      }
    }
  }
  return files
}

/** Every literal of a configuration that names a folder. One of them may hold skills. */
function foldersNamedIn(config: string, folder: string): readonly string[] {
  if (statSync(config).size > LARGEST_MODULE) return []
  return [...readFileSync(config, 'utf8').matchAll(/(["'`])([^"'`\n]{1,1000})\1/g)]
    .map(([, , literal = '']) => resolve(folder, literal))
    .filter(isFolder)
}

/** Empty for what is no folder or cannot be read: the server cannot read it either. */
function namesIn(folder: string): readonly string[] {
  try {
    return isFolder(folder) ? readdirSync(folder) : []
  } catch (error) {
    if (error instanceof Error && 'code' in error) return []
    throw error
  }
}

function hashFile(file: string): string {
  const hash = createHash('sha256')
  const descriptor = openSync(file, 'r')
  try {
    const chunk = Buffer.allocUnsafe(CHUNK)
    for (let read = readSync(descriptor, chunk); read > 0; read = readSync(descriptor, chunk)) {
      hash.update(chunk.subarray(0, read))
    }
  } finally {
    closeSync(descriptor)
  }
  return hash.digest('hex')
}

const isFile = (path: string): boolean => statOf(path)?.isFile() === true
const isFolder = (path: string): boolean => statOf(path)?.isDirectory() === true

/** `undefined` also for a link to itself and a path that is too long. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}
