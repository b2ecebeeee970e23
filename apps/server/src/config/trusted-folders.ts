/**
 * A configuration is a program, so one that is found in the current folder runs only after the user has trusted it. The
 * user's configuration directory holds `trusted.json`: `{"<real path of the folder>": "<hash>"}`. The hash covers the
 * configuration, the local files that it imports and `agents/`, so a changed configuration must be trusted again.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, extname, join, relative, resolve } from 'node:path'
import { z } from 'zod'
import { writePrivateFile } from '../platform/private-file.ts'
import { CONFIG_FILE_NAMES } from './config-file-names.ts'

/** What of a folder would be run or read as configuration. */
export interface FolderConfig {
  /** The real path. */
  readonly folder: string
  /** Relative to the folder, sorted. */
  readonly files: readonly string[]
  readonly hash: string
}

const MOST_FILES = 1_000
const LARGEST_FILE = 4 * 1024 * 1024

/** `undefined`: the folder has no configuration. */
export function readFolderConfig(directory: string): FolderConfig | undefined {
  const folder = realpathSync(directory)
  const files = new Set<string>()
  for (const name of CONFIG_FILE_NAMES) if (isFile(join(folder, name))) addWithImports(join(folder, name), files)
  for (const name of listMarkdown(join(folder, 'agents'))) files.add(join(folder, 'agents', name))
  if (files.size === 0) return undefined
  const sorted = [...files].toSorted()
  const hash = createHash('sha256')
  for (const file of sorted) {
    // A file that is too large to be read as configuration is refused later; here its size stands for it.
    const content = statSync(file).size > LARGEST_FILE ? Buffer.from(String(statSync(file).size)) : readFileSync(file)
    hash.update(`${relative(folder, file)}\0${content.length}\0`).update(content)
  }
  return { folder, files: sorted.map((file) => relative(folder, file)), hash: hash.digest('hex') }
}

export function isTrusted({ folder, hash }: FolderConfig, env: NodeJS.ProcessEnv): boolean {
  return readTrusted(env)[folder] === hash
}

export function trustFolder({ folder, hash }: FolderConfig, env: NodeJS.ProcessEnv): void {
  const file = trustFile(env)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writePrivateFile(file, `${JSON.stringify({ ...readTrusted(env), [folder]: hash }, undefined, 2)}\n`)
}

/** `$XDG_CONFIG_HOME/polylogue/trusted.json`, or below `~/.config`. */
function trustFile(env: NodeJS.ProcessEnv): string {
  const given = env['XDG_CONFIG_HOME']
  const base = given !== undefined && given.startsWith('/') ? given : join(env['HOME'] ?? homedir(), '.config')
  return join(base, 'polylogue', 'trusted.json')
}

function readTrusted(env: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  const file = trustFile(env)
  if (!existsSync(file)) return {}
  try {
    return z
      .record(z.string(), z.string())
      .catch({})
      .parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    // A damaged file trusts nothing.
    if (error instanceof SyntaxError) return {}
    throw error
  }
}

/** Imports of files by a relative path, in whatever way they are written. A path that is made at run time is not found. */
const IMPORT = /(?:\bfrom|\bimport|\brequire\s*\(|\bimport\s*\()\s*['"`](\.{1,2}\/[^'"`\n]+)['"`]/g

function addWithImports(file: string, files: Set<string>): void {
  const real = realpathSync(file)
  if (files.has(real) || files.size >= MOST_FILES) return
  files.add(real)
  if (statSync(real).size > LARGEST_FILE || !/^\.[cm]?[jt]sx?$/.test(extname(real))) return
  for (const [, specifier = ''] of readFileSync(real, 'utf8').matchAll(IMPORT)) {
    const imported = resolve(dirname(real), specifier)
    if (isFile(imported)) addWithImports(imported, files)
  }
}

function listMarkdown(folder: string): readonly string[] {
  return existsSync(folder) && statSync(folder).isDirectory()
    ? readdirSync(folder).filter((name) => name.endsWith('.md'))
    : []
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true
