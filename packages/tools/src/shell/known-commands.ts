import { ANY_TEXT, type KnownOptions, NUMBER, PLAIN_WORD } from './known-options.ts'
import { GIT_COMMANDS } from './known-git.ts'

/** A command that needs no approval if all its options are known and it stays in the workspace. */
export interface KnownCommand {
  /** The words at the beginning of the command. */
  readonly words: string
  readonly options: KnownOptions
  /**
   * What its operands are. `paths`: files and folders. `pattern`: the first one is a pattern, unless an option gives it.
   * `git`: revisions and paths. `words`: neither. `texts`: only printed.
   */
  readonly operands: 'paths' | 'pattern' | 'git' | 'words' | 'texts'
  /** It walks the folders in its arguments: always, or with one of these letters or long options. */
  readonly walks?: 'always' | readonly string[]
  /** It reads the files in a folder, also through links. */
  readonly readsFolders?: boolean
  /** It shows the machine: in a sandbox there is nothing but the command itself. */
  readonly isMachineWide?: boolean
  /** The check of its words, if they are not plain. */
  readonly shape?: RegExp
}

const names = (...lines: readonly string[]): readonly string[] => lines.flatMap((line) => line.split(' '))

const GREP: KnownOptions = {
  flags: 'abcEFGHhIiLlnoPqrsTvwxyz',
  numbers: 'mABC',
  texts: 'e',
  takesCount: true,
  long: names(
    'ignore-case no-ignore-case invert-match word-regexp line-regexp count files-without-match files-with-matches quiet',
    'silent no-messages byte-offset with-filename no-filename line-number initial-tab null null-data only-matching text',
    'extended-regexp fixed-strings basic-regexp perl-regexp recursive help version color colour',
  ),
  valued: {
    regexp: ANY_TEXT,
    'max-count': NUMBER,
    'after-context': NUMBER,
    'before-context': NUMBER,
    context: NUMBER,
    color: PLAIN_WORD,
    colour: PLAIN_WORD,
    include: /^[^/]{1,200}$/,
    exclude: /^[^/]{1,200}$/,
    'exclude-dir': /^[^/]{1,200}$/,
    'binary-files': PLAIN_WORD,
  },
}

const LS: KnownOptions = {
  flags: 'aAbBcCdfFghiklmnNopqQrRsStuUvxX1',
  numbers: 'wT',
  texts: 'I',
  long: names(
    'all almost-all author escape directory file-type full-time group-directories-first no-group human-readable si inode',
    'numeric-uid-gid reverse recursive size color help version classify literal quote-name hide-control-chars',
  ),
  valued: { color: PLAIN_WORD, sort: PLAIN_WORD, time: PLAIN_WORD, format: PLAIN_WORD, 'block-size': PLAIN_WORD },
}

const COMMANDS: readonly KnownCommand[] = [
  { words: 'echo', options: { flags: 'neE' }, operands: 'texts' },
  { words: 'pwd', options: { flags: 'LP' }, operands: 'words' },
  { words: 'which', options: { flags: 'as' }, operands: 'words' },
  { words: 'ls', options: LS, operands: 'paths', walks: ['R', 'recursive'] },
  {
    words: 'cat',
    options: {
      flags: 'AbeEnstTuv',
      long: names('show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting help version'),
    },
    operands: 'paths',
  },
  {
    words: 'head',
    options: {
      flags: 'qvz',
      numbers: 'nc',
      takesCount: true,
      long: names('quiet silent verbose zero-terminated help version'),
      valued: { lines: NUMBER, bytes: NUMBER },
    },
    operands: 'paths',
  },
  {
    words: 'tail',
    options: {
      flags: 'qvz',
      numbers: 'nc',
      takesCount: true,
      long: names('quiet silent verbose zero-terminated help version'),
      valued: { lines: NUMBER, bytes: NUMBER },
    },
    operands: 'paths',
  },
  {
    words: 'wc',
    options: { flags: 'cmlLw', long: names('bytes chars lines words max-line-length help version') },
    operands: 'paths',
  },
  { words: 'grep', options: GREP, operands: 'pattern', walks: ['r', 'recursive'] },
  {
    words: 'diff',
    options: {
      flags: 'qsuyiEZbBwatdN',
      numbers: 'UCW',
      long: names(
        'brief report-identical-files unified side-by-side ignore-case ignore-tab-expansion ignore-trailing-space',
        'ignore-space-change ignore-all-space ignore-blank-lines text expand-tabs minimal help version color normal',
      ),
      valued: { unified: NUMBER, context: NUMBER, width: NUMBER, color: PLAIN_WORD },
    },
    operands: 'paths',
    readsFolders: true,
  },
  {
    words: 'file',
    options: { flags: 'bihkNnr0v', long: names('brief mime mime-type mime-encoding no-dereference version help') },
    operands: 'paths',
  },
  {
    words: 'du',
    options: {
      flags: 'abchklmPsSx0',
      numbers: 'dBt',
      long: names('all bytes total human-readable summarize separate-dirs one-file-system apparent-size help version'),
      valued: { 'max-depth': NUMBER, 'block-size': PLAIN_WORD },
    },
    operands: 'paths',
    walks: 'always',
  },
  {
    words: 'df',
    options: {
      flags: 'ahHiklPTv',
      long: names('all human-readable si inodes local portability print-type total help version'),
    },
    operands: 'words',
  },
  // The arguments of a program may hold a key. Without a dash, `e` prints the environment of every process, and so does `-E`
  // on some systems.
  {
    words: 'ps',
    isMachineWide: true,
    options: { flags: 'AadefFjlLMNTwHcy', numbers: 'p' },
    operands: 'words',
    shape: /^[aAcdfgjlmnprSTuUvwxX0-9,]+$/,
  },
]

/** The longest beginning first, so that `git stash list` is not taken for `git stash`. */
export const KNOWN_COMMANDS: readonly KnownCommand[] = [...COMMANDS, ...GIT_COMMANDS].toSorted(
  (a, b) => b.words.length - a.words.length,
)
