// What a program may run from its arguments, although it is not known to: the words from `rm` on after a program that nobody
// has heard of, the text of an option such as `--eval`. Only the floor looks at these parts, because they may be just texts.
import type { Field } from './field.ts'
import { INTERPRETERS, SHELLS, WRAPPER_SHAPES } from './wrapper-shapes.ts'
import { type SimpleCommand, baseName, operandsOf } from './simple-command.ts'

export interface SuspectedParts {
  readonly commands: readonly (readonly Field[])[]
  readonly scripts: readonly Field[]
}

const words = (...lines: readonly string[]): ReadonlySet<string> => new Set(lines.flatMap((line) => line.split(' ')))

/** Programs whose names also begin a command after another program. Words such as `reboot` and `halt` have other meanings there. */
const ACTORS = words('rm chmod chown chgrp mv find dd shred wipefs blkdiscard kill sh bash dash zsh busybox sudo env')
const MAKES_FILE_SYSTEMS = /^mk(?:e2?)?fs(?:\.|$)/

/** Programs that print, search or store their words, or run them on another machine. */
const TAKES_TEXT = words(
  'echo printf grep egrep fgrep rg ag ack cat ls dir head tail wc man info type which whereis whatis apropos locate',
  'test [ [[ export declare typeset local readonly alias set read logger wall write mail say git gh glab hg svn jq',
  'ssh mosh docker podman nerdctl kubectl oc lxc machinectl flatpak vagrant wsl touch mkdir cd pushd sed awk gawk mawk nawk',
)

/** Programs that run the text of an argument. */
const RUNS_TEXT = words(
  'vi vim nvim view ex gvim ed gdb lldb expect osascript tmux screen hyperfine su script flock runuser sg nix-shell npx bunx',
  'nodemon watchexec entr concurrently capsh make gmake tar zip rsync parallel env systemd-run ssh-agent',
)

/** Options of Git whose value is a command. */
const GIT_TEXT =
  /^(?:-c|-x|--exec|--extcmd|--(?:env|tree|index|parent|msg|commit|tag-name)-filter|foreach|--recursive)$/
const GIT_TEXT_WITH_VALUE = /^--(?:exec|extcmd|upload-pack|receive-pack|[a-z-]+-filter)=/

const NPM_TEXT = /^(?:-c|--call)$/

const MOST_PARTS = 16
const MOST_WORDS = 64
const LONGEST_TEXT = 2000
const LONGEST_INPUT = 16_384

export function suspectedParts(command: SimpleCommand): SuspectedParts {
  const { name } = command
  const isWrapper = Object.hasOwn(WRAPPER_SHAPES, name) || SHELLS.has(name) || INTERPRETERS.has(name)
  const commands = isWrapper || name === '' || TAKES_TEXT.has(name) ? [] : tailsOf(command.args)
  const texts = [...textsOf(command), ...linesOf(command)].filter((text) => /\s/.test(text))
  return {
    commands: [...commands, ...runByGit(command)].slice(0, MOST_PARTS),
    scripts: texts
      .filter((text) => text.length <= LONGEST_TEXT)
      .slice(0, MOST_PARTS)
      .map((text) => ({ text, isKnown: true, hasGlob: false })),
  }
}

function tailsOf(args: readonly Field[]): readonly (readonly Field[])[] {
  const tails: (readonly Field[])[] = []
  for (const [index, { text }] of args.entries()) {
    const name = baseName(text)
    if (!ACTORS.has(name) && !MAKES_FILE_SYSTEMS.test(name)) continue
    tails.push(args.slice(index, index + MOST_WORDS))
    if (tails.length >= MOST_PARTS) break
  }
  return tails
}

function textsOf({ name, args }: SimpleCommand): readonly string[] {
  const texts = args.map(({ text }) => text).filter((text) => text.length <= LONGEST_TEXT)
  if (name === 'git') {
    return texts
      .filter((text, at) => GIT_TEXT.test(texts[at - 1] ?? '') || GIT_TEXT_WITH_VALUE.test(text))
      .map(toScript)
  }
  if (/^(?:npm|pnpm|yarn|bun)$/.test(name))
    return texts.filter((_, at) => NPM_TEXT.test(texts[at - 1] ?? '')).map(toScript)
  if (name === 'sed') return texts.flatMap(runBySed)
  if (name !== 'parallel') return RUNS_TEXT.has(name) ? texts.map(toScript) : []
  const end = texts.findIndex((text) => /^:{3,4}\+?$/.test(text))
  const given = end === -1 ? '' : texts.slice(end + 1).join(' ')
  return texts.slice(0, end === -1 ? undefined : end).map((text) => text.replaceAll('{}', given))
}

/** Without what stands before a command: `--eval=`, `exec=`, `alias.x=!`, `:!`, `shell `, the target of a rule. */
function toScript(text: string): string {
  return text
    .replace(/^--?[\w-]+=/, '')
    .replace(/^[\w.-]+=/, '')
    .replace(/^[:+]*!?/, '')
    .replace(/^(?:shell|spawn|exec|system|do shell script)\s+["']?/, '')
    .replace(/^[^\s:]{0,100}:{1,2}[^;\n:]{0,200};/, '')
    .replace(/^!/, '')
    .replace(/["']$/, '')
}

/** `e command`, and `s/x/command/e`. */
function runBySed(text: string): readonly string[] {
  const run = [...text.matchAll(/(?:^|[\n;{\d$/])[ \t]{0,9}e[ \t]{1,9}([^\n}]{1,500})/g)].map(
    ([, command = '']) => command,
  )
  const [, , replaced] = /s([^\w\s\\])(?:\\.|(?!\1)[^\\])*\1((?:\\.|(?!\1)[^\\])*)\1[a-zA-Z0-9]*e/s.exec(text) ?? []
  return [...run, ...(replaced === undefined ? [] : [replaced.replaceAll(/\\(.)/g, '$1')])]
}

/** The lines of a text on the input of an editor or of `make` that run a command. */
function linesOf({ name, stdin }: SimpleCommand): readonly string[] {
  if (!RUNS_TEXT.has(name) || typeof stdin !== 'object') return []
  return stdin.text.text
    .slice(0, LONGEST_INPUT)
    .split('\n')
    .flatMap((line) => (/^[:!\t]|^[^\s:]{0,100}:[^;]{0,200};/.test(line) ? [toScript(line.trimStart())] : []))
}

/** `git bisect run rm -rf x`, `git submodule foreach rm -rf x`. */
function runByGit({ name, args }: SimpleCommand): readonly (readonly Field[])[] {
  if (name !== 'git' || !/^(?:bisect|submodule)$/.test(operandsOf(args)[0]?.text ?? '')) return []
  const at = args.findIndex(({ text }) => text === 'run' || text === 'foreach')
  return at === -1 ? [] : [args.slice(at + 1)]
}
