// A repository's history without its settings. Git runs programs that a repository names in its configuration, hooks,
// attributes and submodules, even for commands that only read. A shadow links to the objects and references, has a copy
// of the index and a reduced configuration, and comes with a `git` wrapper that turns the rest off.
//
//   <folder>/dir/       the repository that Git sees: HEAD, config, index, links to objects, refs and logs
//   <folder>/bin/git    calls the real git
import { constants, existsSync, readFileSync, readdirSync } from 'node:fs'
import { copyFile, mkdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { reduceGitConfig } from './reduce-git-config.ts'
import { type RepositoryPlaces, findRepository, lstatOf } from './repository-places.ts'

export interface ShadowRepository {
  readonly folder: string
  /** Parts of the repository outside the workspace that the command reads. */
  readonly outside: readonly string[]
  /** The environment of the command. */
  readonly environment: Readonly<Record<string, string>>
  /** The folder that must come first on PATH. */
  readonly programs: string
  remove(): Promise<void>
}

const LARGEST_INDEX = 64 * 1024 * 1024
const LARGEST_TEXT = 1024 * 1024

/** The places of a repository with the usual layout, all parts of which are known. */
function findPlain(top: string): RepositoryPlaces | undefined {
  const places = findRepository(top)
  if (places === undefined) return undefined
  const { own, common } = places
  const isFolder = (name: string): boolean => lstatOf(join(common, name))?.isDirectory() ?? false
  const isFile = (path: string, most: number): boolean => {
    const stats = lstatOf(path)
    return stats !== undefined && stats.isFile() && stats.size <= most
  }
  const isAbsent = (name: string): boolean => lstatOf(join(common, name)) === undefined
  const isPlain =
    isFolder('objects') &&
    isFolder('refs') &&
    isFile(join(own, 'HEAD'), LARGEST_TEXT) &&
    isFile(join(common, 'config'), LARGEST_TEXT) &&
    (lstatOf(join(own, 'index')) === undefined || isFile(join(own, 'index'), LARGEST_INDEX)) &&
    ['commondir', 'reftable', 'objects/info/alternates', 'objects/info/http-alternates'].every(isAbsent) &&
    ['objects/pack', 'objects/info', 'logs', 'info'].every((name) => isAbsent(name) || isFolder(name))
  return isPlain ? places : undefined
}

/** Whether the repository at this folder can have a shadow. */
export function canBeShadowed(folder: string): boolean {
  const places = findPlain(folder)
  return places !== undefined && reduceGitConfig(readFileSync(join(places.common, 'config'), 'utf8')) !== undefined
}

/** Copied if they exist. */
const COPIED = [
  'HEAD ORIG_HEAD FETCH_HEAD MERGE_HEAD CHERRY_PICK_HEAD REVERT_HEAD REBASE_HEAD BISECT_LOG MERGE_MODE MERGE_MSG',
  'index info/sparse-checkout',
].flatMap((line) => line.split(' '))
const SHARED_FILES = ['shallow', 'info/exclude']
const LINKED = ['objects', 'refs', 'packed-refs']
const OWN_LINKED = ['logs', 'rebase-merge', 'rebase-apply']

/** `undefined` if this is not a repository, or if Git cannot read it without its settings. */
export async function createShadowRepository(
  top: string,
  folder: string,
  program: string,
): Promise<ShadowRepository | undefined> {
  const places = findPlain(top)
  if (places === undefined) return undefined
  const { own, common } = places
  const config = reduceGitConfig(await readFile(join(common, 'config'), 'utf8'))
  if (config === undefined) return undefined
  const dir = join(folder, 'dir')
  const programs = join(folder, 'bin')
  for (const path of [join(dir, 'info'), programs]) await mkdir(path, { recursive: true, mode: 0o700 })
  await writeFile(join(dir, 'config'), config.text)
  const shared = readdirSync(own).filter((name) => /^sharedindex\.[0-9a-f]+$/.test(name))
  for (const name of [...COPIED, ...shared]) await copyPlain(join(own, name), join(dir, name))
  for (const name of SHARED_FILES) await copyPlain(join(common, name), join(dir, name))
  const linked = [...LINKED.map((name) => join(common, name)), ...OWN_LINKED.map((name) => join(own, name))]
  const existing = linked.filter((path) => existsSync(path))
  for (const path of existing) await symlink(path, join(dir, basename(path)))
  // `git config` reads this file, because the sandbox may not contain the repository's own.
  const shown = own === common ? join(common, 'config') : join(folder, 'config')
  if (own !== common) await copyPlain(join(common, 'config'), shown)
  await writeFile(join(programs, 'git'), wrapperFor(program, shown), { mode: 0o700 })
  return {
    folder,
    outside: own === common ? [] : existing,
    programs,
    environment: environmentFor(dir, top),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Never follows a link. Keeps the modification time, which Git compares with those of the files. */
async function copyPlain(from: string, to: string): Promise<void> {
  const stats = lstatOf(from)
  if (stats === undefined || !stats.isFile() || stats.size > LARGEST_INDEX) return
  await copyFile(from, to, constants.COPYFILE_EXCL)
  const { atime, mtime } = await stat(from)
  await utimes(to, atime, mtime)
}

/** Turns off programs and files that settings can name. These values take precedence over configuration files. */
const SETTINGS: Readonly<Record<string, string>> = {
  'core.attributesFile': '/dev/null',
  'core.excludesFile': '/dev/null',
  'core.fsmonitor': 'false',
  'core.hooksPath': '/dev/null',
  'core.pager': 'cat',
  'core.untrackedCache': 'false',
  'diff.ignoreSubmodules': 'all',
  'diff.submodule': 'short',
  'gpg.program': '/bin/false',
  'gpg.ssh.program': '/bin/false',
  'gpg.x509.program': '/bin/false',
  'log.showSignature': 'false',
  'protocol.allow': 'never',
  'status.submoduleSummary': 'false',
  'submodule.recurse': 'false',
}

function environmentFor(dir: string, top: string): Readonly<Record<string, string>> {
  const settings = Object.entries(SETTINGS).flatMap(([key, value], index): [string, string][] => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ])
  return {
    GIT_DIR: dir,
    GIT_WORK_TREE: top,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_COUNT: String(Object.keys(SETTINGS).length),
    ...Object.fromEntries(settings),
    GIT_ATTR_NOSYSTEM: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_ASKPASS: '/bin/false',
    GIT_EDITOR: '/bin/false',
    XDG_CONFIG_HOME: '/dev/null',
  }
}

/** These must be options, because `.gitmodules` and attributes take precedence over settings. */
function wrapperFor(program: string, config: string): string {
  const plain = '--no-ext-diff --no-textconv --ignore-submodules=all'
  return `#!/bin/sh
git() { exec ${quote(program)} --no-pager "$@"; }
verb=$1
shift
case $verb in
  status) git status --ignore-submodules=all "$@" ;;
  diff | log | show) git "$verb" ${plain} "$@" ;;
  stash) shift; git stash list ${plain} "$@" ;;
  blame) git blame --no-textconv "$@" ;;
  config) git config --file ${quote(config)} --no-includes "$@" ;;
  *) git "$verb" "$@" ;;
esac
`
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
