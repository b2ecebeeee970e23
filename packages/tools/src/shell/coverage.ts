// What *always allow* may cover beyond one exact command.
import type { Field } from './field.ts'
import type { SimpleCommand } from './simple-command.ts'
import { flagsOf, hasLongFlag } from './simple-command.ts'

/** Programs whose first argument is a verb: `git push` and `git log` have nothing in common. */
const WITH_VERBS: ReadonlySet<string> = new Set(
  (
    'git npm pnpm yarn bun deno cargo go rustup pip pip3 uv poetry conda gem bundle composer mvn gradle gradlew dotnet ' +
    'docker podman kubectl helm terraform tofu gh glab aws gcloud az brew apt apt-get dnf systemctl make just task nx turbo'
  ).split(' '),
)

/** Verbs that are followed by another one: `npm run build` and `npm run deploy` have nothing in common. */
const WITH_MORE_VERBS: ReadonlySet<string> = new Set(
  (
    'npm run,npm run-script,pnpm run,yarn run,yarn workspace,deno task,nx run,turbo run,docker compose,docker image,docker container,' +
    'docker network,podman compose,gh issue,gh run,gh workflow,gh gist,gh label,glab mr,glab issue,glab ci,git stash,git remote,' +
    'git worktree,git submodule,git notes,git lfs,kubectl rollout,kubectl config,kubectl auth,terraform workspace,dotnet nuget,pip cache,npm cache'
  ).split(','),
)

/** Programs that can run any other program. */
const INTERPRETERS: ReadonlySet<string> = new Set(
  (
    'sh bash zsh dash ksh fish node deno bun python python2 python3 ruby perl php lua tclsh awk gawk mawk sed ed vi vim emacs ' +
    'npx pnpx bunx uvx pipx pipenv tsx ts-node osascript pwsh powershell expect gdb lldb ssh scp rsync curl wget nc ' +
    'find parallel watch tar zip source . alias export declare su runuser screen tmux batch ld.so man less more xdg-open open code ' +
    'fzf delta bat ag watchman openssl java cmake ansible ssh-keygen'
  ).split(' '),
)

/** Shells of databases have `sql` in their names. */
const isInterpreter = (name: string): boolean => INTERPRETERS.has(name) || name.includes('sql')

const RUNS_ANYTHING: ReadonlySet<string> = new Set(['exec', 'x', 'dlx', 'eval', 'shell'])
/** Programs whose `run` runs any program. */
const RUNS_PROGRAMS: ReadonlySet<string> = new Set('uv poetry conda go deno bun docker podman kubectl'.split(' '))

/**
 * The program and its verb, such as `npm test`, `npm run build` or `pytest`, if the command consists of nothing else. A program that was
 * called by a path is another one than its namesake. `undefined`: only the exact command can be covered.
 */
export function programOf(commands: readonly SimpleCommand[]): string | undefined {
  const [command, ...others] = commands
  if (command === undefined || others.length > 0 || command.written.length > 0 || command.stdin !== 'nothing')
    return undefined
  const { name, path, args } = command
  const called = path ?? name
  if (!/^[\w.+-]{1,40}$/.test(name) || !/^[\w./+-]{1,200}$/.test(called) || args.some(startsAnother)) return undefined
  if (!WITH_VERBS.has(name)) return isInterpreter(name) ? undefined : called
  const [verb, more] = args
  if (verb === undefined || !isVerb(verb) || RUNS_ANYTHING.has(verb.text)) return undefined
  if (verb.text === 'run' && RUNS_PROGRAMS.has(name)) return undefined
  if (!WITH_MORE_VERBS.has(`${name} ${verb.text}`)) return `${called} ${verb.text}`
  if (more === undefined || !isVerb(more) || RUNS_ANYTHING.has(more.text)) return undefined
  return `${called} ${verb.text} ${more.text}`
}

/**
 * Options by which a program starts another one, loads code or writes a file that the command names: `git fetch --upload-pack=./x`,
 * `tar --to-command=sh`, `make SHELL=./x`. Long options may be abbreviated.
 */
const STARTERS: readonly string[] = [
  'upload-pack receive-pack exec exec-path ext-diff extcmd open-files-in-pager output script-shell shell node-options',
  'to-command checkpoint-action use-compress-program compress-program rsh rsync-path pre hostname-bin filter toolexec overlay',
  'modfile vettool config rulesdir resolve-plugins-relative-to parser plugin plugins require import loader env-file init-script',
  'wrapper prefix rcfile eval command globalconfig userconfig git ignore-scripts pager preview post-renderer template',
  'fplugin specs engine agentpath javaagent bootstrap',
].flatMap((line) => line.split(' '))
const SHORTEST = 3

function startsAnother({ text }: Field): boolean {
  if (/^[A-Z][A-Z_]*=/.test(text) || text.startsWith('@') || /^-[pOIeB]./.test(text)) return true
  const [, option] = /^--?([a-z][a-z-]+)(?:[=:]|$)/.exec(text) ?? []
  return option !== undefined && option.length >= SHORTEST && STARTERS.some((starter) => starter.startsWith(option))
}

const isVerb = ({ text, isKnown, hasGlob }: Field): boolean =>
  isKnown && !hasGlob && /^[a-z][a-z0-9:_-]{0,40}$/.test(text)

type Danger = (words: readonly string[], command: SimpleCommand) => boolean

const hasFlag = ({ args }: SimpleCommand, letters: string, ...names: readonly string[]): boolean => {
  const flags = flagsOf(args)
  return letters.split('').some((letter) => flags.has(letter)) || names.some((name) => hasLongFlag(flags, name, 2))
}

/** Options and addresses of Git that name a program to run. */
const runsPrograms = (words: readonly string[], command: SimpleCommand): boolean =>
  hasFlag(command, '', 'receive-pack', 'upload-pack', 'exec') || words.some((word) => word.includes('::'))

const GIT: { readonly [verb: string]: Danger } = {
  push: (words, command) =>
    runsPrograms(words, command) ||
    hasFlag(command, 'fd', 'force', 'force-with-lease', 'force-if-includes', 'mirror', 'delete', 'prune') ||
    words.some((word) => /^\+|^:./.test(word)),
  reset: (_, command) => hasFlag(command, '', 'hard', 'merge', 'keep'),
  clean: () => true,
  fetch: runsPrograms,
  pull: runsPrograms,
  clone: runsPrograms,
  'ls-remote': runsPrograms,
  archive: runsPrograms,
  bisect: (words) => words.includes('run'),
  difftool: () => true,
  mergetool: () => true,
  // With a second word, or one that looks like a file, it puts files back.
  checkout: (words, command) =>
    hasFlag(command, 'fB', 'force') ||
    words.includes('--') ||
    (words.length > 1 && !hasFlag(command, 'b')) ||
    words.some((word) => /^\.|\.[a-z]\w{0,4}$|\/$/.test(word)),
  rm: () => true,
  'read-tree': (_, command) => hasFlag(command, '', 'reset'),
  'checkout-index': () => true,
  prune: () => true,
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
  submodule: (words) => words.includes('deinit') || words.includes('foreach'),
}

/** Verbs of other programs that publish, deploy or delete. */
const VERBS: { readonly [program: string]: readonly string[] } = {
  npm: ['publish', 'unpublish', 'deprecate', 'owner', 'access', 'token', 'login', 'dist-tag', 'config'],
  pnpm: ['publish', 'unpublish', 'config'],
  yarn: ['publish', 'npm', 'config'],
  bun: ['publish'],
  cargo: ['publish', 'yank', 'owner', 'login'],
  gem: ['push', 'yank'],
  poetry: ['publish'],
  uv: ['publish'],
  dotnet: ['push', 'delete'],
  docker: ['rm', 'rmi', 'system', 'volume', 'push', 'prune', 'run', 'exec', 'down', 'kill', 'stop', 'login'],
  podman: ['rm', 'rmi', 'system', 'volume', 'push', 'prune', 'run', 'exec', 'down', 'kill', 'stop', 'login'],
  helm: ['uninstall', 'delete', 'upgrade', 'rollback', 'install'],
  terraform: ['apply', 'destroy', 'state', 'import', 'taint', 'delete'],
  tofu: ['apply', 'destroy', 'state', 'import', 'taint', 'delete'],
  gh: [
    'repo',
    'release',
    'secret',
    'api',
    'pr',
    'auth',
    'create',
    'close',
    'edit',
    'comment',
    'run',
    'cancel',
    'rerun',
    'delete',
  ],
  glab: ['create', 'close', 'update', 'merge', 'approve', 'delete', 'api', 'run', 'cancel', 'note'],
  aws: ['*'],
  gcloud: ['*'],
  az: ['*'],
  systemctl: ['*'],
  brew: ['uninstall', 'remove'],
}

/** All other verbs of a cluster change it. */
const KUBECTL_READS: ReadonlySet<string> = new Set(
  'get describe logs top explain version diff api-resources'.split(' '),
)

/** Programs that act on servers of other people or on databases, whatever they are told. */
const REMOTE: ReadonlySet<string> = new Set(
  (
    'vercel netlify fly flyctl wrangler serverless sls cdk firebase heroku supabase pulumi ansible ansible-playbook twine ' +
    'redis-cli mongo mongosh'
  ).split(' '),
)

/** What scripts and tasks of any name do: `npm run deploy`, `make publish`, `mix ecto.drop`. */
const TASKS: ReadonlySet<string> = new Set('publish deploy destroy drop wipe purge'.split(' '))
const isTask = (word: string): boolean => /^[\w.:-]+$/.test(word) && word.split(/[.:-]/).some((part) => TASKS.has(part))

const ALWAYS: ReadonlySet<string> = new Set(
  'rm rmdir unlink shred truncate dd mv chmod chown chgrp chattr kill pkill killall fdisk parted mount umount dropdb shutdown reboot crontab at'.split(
    ' ',
  ),
)

/** Commands that lose work, reach other people, or could do so once their arguments are known. A wider approval never covers them. */
export function isDestructive(command: SimpleCommand): boolean {
  const { name, args } = command
  if (ALWAYS.has(name) || REMOTE.has(name)) return true
  const texts = args.map(({ text }) => text)
  const words = texts.filter((text) => !text.startsWith('-') || text === '--')
  if (name === 'git') return isDestructiveGit(texts, words, command)
  if (WITH_VERBS.has(name) && !isCertain(args.slice(0, 1))) return true
  if (words.some(isTask)) return true
  if (name === 'kubectl') return !KUBECTL_READS.has(words[0] ?? '')
  if (name === 'find') return texts.includes('-delete')
  if (name === 'rsync') return texts.some((text) => text.startsWith('--del') || text.startsWith('--remove'))
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
  if (!Object.hasOwn(GIT, verb)) return !isCertain(command.args.slice(0, 1))
  return !isCertain(command.args) || GIT[verb]?.(words.slice(1), command) === true
}

/** A file can be called `--force`, and a variable can hold anything. */
const isCertain = (args: readonly Field[]): boolean => args.every(({ isKnown, hasGlob }) => isKnown && !hasGlob)
