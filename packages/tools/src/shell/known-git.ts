// Git's commands that only read. They run on a shadow repository (`git/shadow-repository.ts`) without the
// repository's own settings. This file decides about what an option itself reaches or starts.
import type { KnownCommand } from './known-commands.ts'
import { ANY_TEXT, type KnownOptions, NUMBER, PLAIN_WORD } from './known-options.ts'

const names = (...lines: readonly string[]): readonly string[] => lines.flatMap((line) => line.split(' '))

/** Checking a signature would start a program. */
const FORMAT = /^(?!.*%[-+ ]?G)[^]{0,1000}$/s
const DATE = /^[\w.,:+ %/-]{1,100}$/
const SIZE = /^\d{1,4}%?(?:,\d{1,4}%?){0,2}$/

const DIFF: KnownOptions = {
  flags: 'puswbRWza',
  numbers: 'U',
  texts: 'SG',
  long: names(
    'patch no-patch raw stat numstat shortstat dirstat summary name-only name-status patch-with-stat compact-summary',
    'ignore-all-space ignore-space-change ignore-space-at-eol ignore-blank-lines ignore-cr-at-eol color no-color',
    'word-diff color-words minimal patience histogram find-renames no-renames find-copies find-copies-harder cached',
    'staged merge-base check exit-code quiet full-index function-context no-prefix text binary pickaxe-all',
    'pickaxe-regex irreversible-delete abbrev no-abbrev indent-heuristic no-indent-heuristic',
  ),
  valued: {
    unified: NUMBER,
    abbrev: NUMBER,
    stat: SIZE,
    color: PLAIN_WORD,
    'word-diff': PLAIN_WORD,
    'diff-algorithm': PLAIN_WORD,
    'diff-filter': /^[A-Za-z*]{1,20}$/,
    'find-renames': SIZE,
    'find-copies': SIZE,
    'inter-hunk-context': NUMBER,
    'ws-error-highlight': PLAIN_WORD,
  },
}

const LOG: KnownOptions = {
  flags: `${DIFF.flags}iEFPqmc`,
  numbers: 'Un',
  texts: 'SG',
  takesCount: true,
  long: [
    ...(DIFF.long ?? []),
    ...names(
      'oneline graph decorate no-decorate all branches tags remotes regexp-ignore-case extended-regexp fixed-strings',
      'invert-grep all-match merges no-merges first-parent reverse date-order topo-order author-date-order pretty',
      'abbrev-commit no-abbrev-commit source left-right cherry-pick cherry boundary simplify-by-decoration full-history',
      'dense sparse ancestry-path parents children follow no-notes no-expand-tabs relative-date walk-reflogs',
    ),
  ],
  valued: {
    ...DIFF.valued,
    decorate: PLAIN_WORD,
    branches: PLAIN_WORD,
    tags: PLAIN_WORD,
    remotes: PLAIN_WORD,
    'max-count': NUMBER,
    skip: NUMBER,
    since: DATE,
    after: DATE,
    until: DATE,
    before: DATE,
    author: ANY_TEXT,
    committer: ANY_TEXT,
    grep: ANY_TEXT,
    date: DATE,
    format: FORMAT,
    pretty: FORMAT,
    encoding: PLAIN_WORD,
  },
}

const BLAME: KnownOptions = {
  flags: 'wMCesltfnpb',
  texts: 'L',
  long: names(
    'show-email show-name show-number porcelain line-porcelain incremental root first-parent minimal color-lines',
  ),
  valued: { date: DATE, abbrev: NUMBER, since: DATE },
}

const VERBS: readonly (readonly [verb: string, options: KnownOptions])[] = [
  [
    'status',
    {
      flags: 'sbvz',
      attached: 'u',
      long: names(
        'short branch show-stash porcelain long verbose untracked-files ignored ahead-behind no-ahead-behind renames',
        'no-renames find-renames no-column',
      ),
      valued: { porcelain: PLAIN_WORD, 'untracked-files': PLAIN_WORD, ignored: PLAIN_WORD, 'find-renames': SIZE },
    },
  ],
  ['log', LOG],
  ['show', LOG],
  ['diff', DIFF],
  ['stash list', LOG],
  [
    'shortlog',
    {
      flags: 'snec',
      long: names('summary numbered email committer no-merges merges all'),
      valued: { since: DATE, until: DATE },
    },
  ],
  [
    'describe',
    {
      long: names('all tags contains long always exact-match first-parent'),
      valued: { abbrev: NUMBER, match: PLAIN_WORD, candidates: NUMBER },
    },
  ],
  ['blame', BLAME],
  [
    'ls-files',
    {
      flags: 'cdmoisuktvz',
      long: names(
        'cached deleted modified others ignored stage unmerged killed exclude-standard directory no-empty-directory',
        'full-name error-unmatch eol deduplicate abbrev',
      ),
      valued: { abbrev: NUMBER, exclude: PLAIN_WORD },
    },
  ],
  [
    'ls-tree',
    {
      flags: 'rdtlz',
      long: names('name-only name-status full-name full-tree long object-only abbrev'),
      valued: { abbrev: NUMBER },
    },
  ],
  [
    'rev-parse',
    {
      flags: 'q',
      long: names(
        'abbrev-ref short verify quiet symbolic symbolic-full-name show-toplevel show-prefix show-cdup all branches tags',
        'remotes is-inside-work-tree is-bare-repository is-shallow-repository',
      ),
      valued: { short: NUMBER, 'abbrev-ref': PLAIN_WORD },
    },
  ],
  [
    'config --get',
    { flags: 'z', long: names('local bool int path null'), valued: { type: PLAIN_WORD, default: PLAIN_WORD } },
  ],
]

export const GIT_COMMANDS: readonly KnownCommand[] = VERBS.map(([verb, options]) => ({
  words: `git ${verb}`,
  options,
  operands: verb === 'config --get' ? 'words' : 'git',
}))
