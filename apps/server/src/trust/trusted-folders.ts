/**
 * A configuration is a program, so one that is found in the current folder runs only after the user has trusted it. The
 * hash covers the configuration, the local files that it imports, `agents/` and `skills/`, so a configuration must be
 * trusted again after any of them has changed.
 */
import { createHash } from 'node:crypto'
import { closeSync, globSync, openSync, readSync, realpathSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { CONFIG_FILE_NAMES } from '../config/config-file-names.ts'
import { findLocalImports } from '../platform/local-imports.ts'
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

/** `undefined`: the folder has no configuration. */
export function readFolderConfig(directory: string): FolderConfig | undefined {
  const folder = realpathSync(directory)
  const configs = CONFIG_FILE_NAMES.map((name) => join(folder, name)).filter(isFile)
  const files = new Set([...configs, ...configs.flatMap(findLocalImports), ...markdownIn(folder), ...skillsIn(folder)])
  if (files.size === 0) return undefined
  const sorted = [...files].toSorted()
  const hash = createHash('sha256')
  for (const file of sorted) hash.update(`${relative(folder, file)}\0${hashFile(file)}\0`)
  return { folder, files: sorted.map((file) => relative(folder, file)), hash: hash.digest('hex') }
}

export function isTrusted({ folder, hash }: FolderConfig, env: TrustEnvironment): boolean {
  return trustedHashOf(folder, env) === hash
}

export function trustFolder({ folder, hash }: FolderConfig, env: TrustEnvironment): void {
  recordTrust({ [folder]: hash }, env)
}

function markdownIn(folder: string): readonly string[] {
  return globSync('agents/*.md', { cwd: folder })
    .map((name) => join(folder, name))
    .filter(isFile)
}

/** Skills are read without a configuration too, and an agent may run the files beside them. */
function skillsIn(folder: string): readonly string[] {
  const skills = globSync('skills/*/SKILL.md', { cwd: folder }).map((name) => join(folder, name, '..'))
  return skills
    .flatMap((skill) => globSync('**/*', { cwd: skill }).map((name) => join(skill, name)))
    .filter(isFile)
    .slice(0, MOST_SKILL_FILES)
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

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true
