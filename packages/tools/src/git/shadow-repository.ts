// A repository's history without its settings. Git runs programs that a repository names in its configuration, hooks,
// attributes and submodules, even for commands that only read. A shadow links to the objects and references, has a copy
// of the index and a reduced configuration, and comes with a `git` wrapper that turns the rest off.
//
//   <folder>/dir/       the repository that Git sees: HEAD, config, index, links to objects, refs and logs
//   <folder>/bin/git    calls the real git
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { copyPlain } from './copy-plain.ts'
import { reduceGitConfig } from './reduce-git-config.ts'
import { reachesOutside, sharedIndexes } from './reaches-outside.ts'
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

export interface ShadowOptions {
  /**
   * Whether nobody sees a file from outside of the repository: the command runs in a sandbox, or only counts are used.
   * Default: links and paths that lead outside could be read.
   */
  readonly isContained?: boolean
}

/** Whether the repository at this folder can have a shadow. */
export const canBeShadowed = (folder: string, options: ShadowOptions = {}): boolean =>
  findReadable(folder, options) !== undefined

interface ReadableRepository extends RepositoryPlaces {
  readonly config: string
}

function findReadable(folder: string, { isContained = false }: ShadowOptions): ReadableRepository | undefined {
  const places = findPlain(folder)
  if (places === undefined) return undefined
  const config = reduceGitConfig(readFileSync(join(places.common, 'config'), 'utf8'))?.text
  if (config === undefined) return undefined
  const format = /objectformat = "sha256"/i.test(config) ? 'sha256' : 'sha1'
  return !isContained && reachesOutside(places, format) ? undefined : { ...places, config }
}

/** Copied if they exist. */
const COPIED = [
  'HEAD ORIG_HEAD FETCH_HEAD MERGE_HEAD CHERRY_PICK_HEAD REVERT_HEAD REBASE_HEAD BISECT_LOG MERGE_MODE MERGE_MSG',
  'index info/sparse-checkout',
].flatMap((line) => line.split(' '))
const SHARED_FILES = ['shallow', 'info/exclude']
/** What `git status` tells about a rebase. It prints lines of some of these files. */
const REBASE_FILES = ['rebase-merge', 'rebase-apply'].flatMap((folder) =>
  'head-name onto orig-head interactive amend stopped-sha done git-rebase-todo msgnum end next last applying rebasing'
    .split(' ')
    .map((name) => `${folder}/${name}`),
)
const LINKED = ['objects', 'refs', 'packed-refs']

/** `undefined` if this is not a repository, or if Git cannot read it without its settings. */
export async function createShadowRepository(
  top: string,
  folder: string,
  { program, ...options }: ShadowOptions & { readonly program: string },
): Promise<ShadowRepository | undefined> {
  const places = findReadable(top, options)
  if (places === undefined) return undefined
  const { own, common, config } = places
  const dir = join(folder, 'dir')
  const programs = join(folder, 'bin')
  for (const path of [join(dir, 'info'), programs]) await mkdir(path, { recursive: true, mode: 0o700 })
  await writeFile(join(dir, 'config'), config)
  const limits = { mostBytes: LARGEST_INDEX }
  for (const name of [...COPIED, ...sharedIndexes(own)]) await copyPlain(join(own, name), join(dir, name), limits)
  for (const name of SHARED_FILES) await copyPlain(join(common, name), join(dir, name), limits)
  await copyRebase(own, dir)
  const linked = [...LINKED.map((name) => join(common, name)), join(own, 'logs')]
  const existing = linked.filter((path) => existsSync(path))
  for (const path of existing) await symlink(path, join(dir, basename(path)))
  // `git config` reads this file, because the sandbox may not contain the repository's own.
  const shown = own === common ? join(common, 'config') : join(folder, 'config')
  if (own !== common) await copyPlain(join(common, 'config'), shown, limits)
  await writeFile(join(programs, 'git'), wrapperFor(program, shown), { mode: 0o700 })
  return {
    folder,
    outside: own === common ? [] : existing,
    programs,
    environment: environmentFor(dir, top),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

async function copyRebase(own: string, dir: string): Promise<void> {
  for (const name of REBASE_FILES) {
    const place = dirname(name)
    if (lstatOf(join(own, place))?.isDirectory() !== true) continue
    await mkdir(join(dir, place), { recursive: true, mode: 0o700 })
    await copyPlain(join(own, name), join(dir, name), { mostBytes: LARGEST_TEXT, isOnlyName: true })
  }
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
