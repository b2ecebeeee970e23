// The commands that need nobody's leave: they read and print. An option that makes one of them write a file or run a
// program takes it off the list, and so does a word that could turn into such an option when it is expanded.
import type { Command, ParsedScript, Word } from 'unbash'
import { type Field, type WordContext, expandWord } from './field.ts'
import { type HiddenContext, type ReadingManner, showsHidden } from './hidden-files.ts'
import type { PathContext } from './paths.ts'
import { flagsOf } from './simple-command.ts'

type IsHarmless = (args: readonly string[]) => boolean

interface SafeCommand {
  readonly words: string
  /** Absent: none of its options does any harm. */
  readonly isHarmless?: IsHarmless
}

/**
 * `--output` writes, `--ext-diff` and `--textconv` run what the repository's configuration says, signatures run gpg,
 * help runs a pager or a browser. Git takes unique beginnings of long options, hence prefixes.
 */
const isHarmlessGit: IsHarmless = (args) =>
  !args.some((arg) => {
    if (arg.startsWith('--ou') && !arg.startsWith('--output-indicator-')) return true
    return /^--(?:ext|textc|show-sig|he|ed)/.test(arg) || arg === '-h' || arg.includes('%G')
  })

const isHarmlessGitConfig: IsHarmless = (args) =>
  args.every(
    (arg) =>
      !arg.startsWith('-') ||
      /^(?:--(?:local|global|system|worktree|bool|int|path|null|show-origin|show-scope)|-z)$/.test(arg),
  )

/** `-C` writes a compiled magic file, `-z` runs decompressors, `-s` reads devices, `-m` loads a stranger's rules. */
const isHarmlessFile: IsHarmless = (args) =>
  args.every(
    (arg) =>
      !arg.startsWith('-') ||
      /^(?:-[bihkLNnr0v]+|--(?:brief|mime|mime-type|mime-encoding|dereference|no-dereference|version|help))$/.test(arg),
  )

/** `-l` runs `pr`. */
const isHarmlessDiff: IsHarmless = (args) =>
  args.every((arg) => !/^-[a-zA-Z0-9]*l/.test(arg) && !arg.startsWith('--pa'))

/** Without a dash, `e` prints the environment of every process, and with it whatever secrets stand there. */
const isHarmlessPs: IsHarmless = (args) =>
  args.every(
    (arg) => (arg.startsWith('-') ? !/^-[a-zA-Z]*E/.test(arg) : !/^[a-zA-Z]*e/.test(arg)) && !/environ/.test(arg),
  )

const GIT = 'status log diff show shortlog describe blame ls-files ls-tree rev-parse'.split(' ')
const PLAIN = 'ls cat echo pwd which head tail wc grep du df'.split(' ')

const SAFE_COMMANDS: readonly SafeCommand[] = [
  ...GIT.map((verb) => ({ words: `git ${verb}`, isHarmless: isHarmlessGit })),
  { words: 'git stash list', isHarmless: isHarmlessGit },
  { words: 'git config --get', isHarmless: isHarmlessGitConfig },
  { words: 'file', isHarmless: isHarmlessFile },
  { words: 'diff', isHarmless: isHarmlessDiff },
  { words: 'ps', isHarmless: isHarmlessPs },
  ...PLAIN.map((words) => ({ words })),
]

const SPECIAL = /[;&|`$<>\n\r]/
export function isSafeCommand(source: string, script: ParsedScript, context: HiddenContext): boolean {
  if (SPECIAL.test(source)) return false
  const command = onlyCommand(script)
  if (!command?.name || command.prefix.length > 0 || command.redirects.length > 0) return false
  const words = [command.name, ...command.args]
  if (!words.every((word): word is Word => word.type === 'Word')) return false
  const safe = SAFE_COMMANDS.find((one) => startsWithWords(words, one.words.split(' ')))
  if (!safe) return false
  const args = words.slice(safe.words.split(' ').length).flatMap((word) => expandWord(word, wordsOf(context)))
  if (args.some(({ isKnown }) => !isKnown)) return false
  if (safe.isHarmless && args.some(mayBecomeOption)) return false
  if (safe.isHarmless?.(args.map(({ text }) => text)) === false) return false
  return !showsHidden(args, mannerOf(command.name.value, args), context)
}

function onlyCommand({ commands, errors }: ParsedScript): Command | undefined {
  const [statement, ...others] = commands
  if (!statement || others.length > 0 || errors !== undefined || statement.background) return undefined
  return statement.command.type === 'Command' ? statement.command : undefined
}

/** As they are written: `l""s` or `./ls` is not on the list. */
function startsWithWords(words: readonly Word[], expected: readonly string[]): boolean {
  return expected.every((text, index) => words[index]?.text === text)
}

/** `git log *` takes a file named `--output=x` for an option. */
function mayBecomeOption({ text, hasGlob }: Field): boolean {
  return hasGlob && /^[*?[!@+]/.test(text)
}

function mannerOf(name: string, args: readonly Field[]): ReadingManner {
  const flags = flagsOf(args)
  if (name === 'git') return { readsTrees: flags.has('no-index'), followsLinks: false }
  if (name !== 'grep' && name !== 'diff') return { readsTrees: false, followsLinks: false }
  const long = [...flags].filter((flag) => flag.length > 1)
  const readsTrees =
    ['r', 'R', 'd', 'directories'].some((flag) => flags.has(flag)) || long.some((flag) => /recurs/.test(flag))
  const isGrepAlongLinks = flags.has('R') || long.some((flag) => flag.startsWith('de'))
  return { readsTrees, followsLinks: readsTrees && (name === 'diff' || isGrepAlongLinks) }
}

function wordsOf({ home }: PathContext): WordContext {
  return { home, variables: new Map(), doubt: () => {} }
}
