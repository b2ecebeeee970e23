// What *always allow* may cover beyond one exact command.
import type { SimpleCommand } from './simple-command.ts'
import { flagsOf, hasLongFlag } from './simple-command.ts'

/** Programs whose first argument is a verb: `git push` and `git log` have nothing in common. */
const WITH_VERBS: ReadonlySet<string> = new Set(
  (
    'git npm pnpm yarn bun deno cargo go rustup pip pip3 uv poetry conda gem bundle composer mvn gradle gradlew dotnet ' +
    'docker podman kubectl helm terraform tofu gh glab aws gcloud az brew apt apt-get dnf systemctl make just task nx turbo'
  ).split(' '),
)

/** Programs that can run any other program. */
const INTERPRETERS: ReadonlySet<string> = new Set(
  (
    'sh bash zsh dash ksh fish node deno bun python python2 python3 ruby perl php lua tclsh awk gawk mawk sed ed vi vim emacs ' +
    'npx pnpx bunx uvx pipx tsx ts-node osascript pwsh powershell expect gdb lldb ssh scp rsync curl wget nc ' +
    'find parallel watch tar zip'
  ).split(' '),
)

/** Shells of databases have `sql` in their names. */
const isInterpreter = (name: string): boolean => INTERPRETERS.has(name) || name.includes('sql')

const RUNS_ANYTHING: ReadonlySet<string> = new Set(['exec', 'x', 'dlx', 'eval', 'shell'])

/**
 * The program and its verb, such as `npm test` or `pytest`, if the command consists of nothing else. `undefined`: only the exact
 * command can be covered.
 */
export function programOf(commands: readonly SimpleCommand[]): string | undefined {
  const [command, ...others] = commands
  if (command === undefined || others.length > 0 || command.written.length > 0 || command.stdin !== 'nothing')
    return undefined
  const { name, args } = command
  if (!/^[\w.+-]{1,40}$/.test(name)) return undefined
  if (!WITH_VERBS.has(name)) return isInterpreter(name) ? undefined : name
  const [verb] = args
  if (verb === undefined || !/^[a-z][a-z0-9:_-]{0,40}$/.test(verb.text) || RUNS_ANYTHING.has(verb.text))
    return undefined
  return `${name} ${verb.text}`
}

type Danger = (words: readonly string[], command: SimpleCommand) => boolean

const hasFlag = ({ args }: SimpleCommand, letters: string, ...names: readonly string[]): boolean => {
  const flags = flagsOf(args)
  return letters.split('').some((letter) => flags.has(letter)) || names.some((name) => hasLongFlag(flags, name, 4))
}

const GIT: { readonly [verb: string]: Danger } = {
  push: (words, command) =>
    hasFlag(command, 'fd', 'force', 'force-with-lease', 'force-if-includes', 'mirror', 'delete', 'prune') ||
    words.some((word) => /^\+|^:./.test(word)),
  reset: (_, command) => hasFlag(command, '', 'hard', 'merge', 'keep'),
  clean: () => true,
  checkout: (words, command) => hasFlag(command, 'fB', 'force') || words.includes('--') || words.includes('.'),
  switch: (_, command) => hasFlag(command, 'fC', 'force', 'discard-changes'),
  restore: () => true,
  branch: (_, command) => hasFlag(command, 'dDfM', 'delete', 'force'),
  tag: (_, command) => hasFlag(command, 'df', 'delete', 'force'),
  stash: (words) => words.includes('drop') || words.includes('clear'),
  rebase: () => true,
  'filter-branch': () => true,
  'filter-repo': () => true,
  reflog: (words) => words.includes('delete') || words.includes('expire'),
  'update-ref': () => true,
  gc: () => true,
  remote: (words) => words.some((word) => ['add', 'set-url', 'remove', 'rm'].includes(word)),
  config: () => true,
  worktree: (words) => words.includes('remove'),
  submodule: (words) => words.includes('deinit'),
}

/** Verbs of other programs that publish, deploy or delete. */
const VERBS: { readonly [program: string]: readonly string[] } = {
  npm: ['publish', 'unpublish', 'deprecate', 'owner', 'access', 'token', 'login'],
  pnpm: ['publish', 'unpublish'],
  yarn: ['publish', 'npm'],
  bun: ['publish'],
  cargo: ['publish', 'yank', 'owner', 'login'],
  gem: ['push', 'yank'],
  poetry: ['publish'],
  uv: ['publish'],
  docker: ['rm', 'rmi', 'system', 'volume', 'push', 'prune'],
  podman: ['rm', 'rmi', 'system', 'volume', 'push', 'prune'],
  kubectl: ['delete', 'apply', 'drain', 'scale', 'patch', 'replace', 'exec'],
  helm: ['uninstall', 'delete', 'upgrade', 'rollback', 'install'],
  terraform: ['apply', 'destroy', 'state', 'import', 'taint'],
  tofu: ['apply', 'destroy', 'state', 'import', 'taint'],
  gh: ['repo', 'release', 'secret', 'api', 'pr', 'auth'],
  aws: ['*'],
  gcloud: ['*'],
  az: ['*'],
  systemctl: ['*'],
  brew: ['uninstall', 'remove'],
}

const ALWAYS: ReadonlySet<string> = new Set(
  'rm rmdir unlink shred truncate dd mv chmod chown chgrp chattr kill pkill killall fdisk parted mount umount dropdb shutdown reboot crontab at'.split(
    ' ',
  ),
)

/** Commands that lose work or reach other people. A wider approval never covers them. */
export function isDestructive(command: SimpleCommand): boolean {
  const { name, args } = command
  if (ALWAYS.has(name)) return true
  const texts = args.map(({ text }) => text)
  const words = texts.filter((text) => !text.startsWith('-') || text === '--')
  if (name === 'git') return isDestructiveGit(texts, words, command)
  // A program may be called `constructor`.
  const verbs = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined
  if (verbs !== undefined) return verbs.includes('*') || words.some((word) => verbs.includes(word))
  return false
}

/** Options before the verb can change what any verb does. */
function isDestructiveGit(texts: readonly string[], words: readonly string[], command: SimpleCommand): boolean {
  const [first = ''] = texts
  if (first.startsWith('-') && !['--version', '--help', '--no-pager'].includes(first)) return true
  const verb = words[0] ?? ''
  return Object.hasOwn(GIT, verb) && GIT[verb]?.(words.slice(1), command) === true
}
