/** A program that checks a project's sources, and how a project shows that it uses it. */
export interface Checker {
  readonly name: CheckerName
  /** The whole command. It is fixed, so that what was judged and approved is what runs. */
  readonly command: string
  /** One of these in the working directory says that the project uses it. */
  readonly files: readonly string[]
}

export const DIAGNOSTICS_TOOL = 'Diagnostics'

export const CHECKER_NAMES = ['tsc', 'eslint', 'oxlint', 'ruff', 'mypy', 'cargo', 'go'] as const
export type CheckerName = (typeof CHECKER_NAMES)[number]

const ESLINT_FILES = ['js', 'mjs', 'cjs', 'ts', 'mts', 'cts'].map((ending) => `eslint.config.${ending}`)

export const CHECKERS: readonly Checker[] = [
  { name: 'tsc', command: 'npx --no-install tsc --noEmit --pretty false', files: ['tsconfig.json'] },
  {
    name: 'eslint',
    command: 'npx --no-install eslint --no-color .',
    files: [...ESLINT_FILES, '.eslintrc.js', '.eslintrc.cjs', '.eslintrc.json', '.eslintrc.yml'],
  },
  { name: 'oxlint', command: 'npx --no-install oxlint --format unix', files: ['.oxlintrc.json', 'oxlint.config.ts'] },
  {
    name: 'ruff',
    command: 'ruff check --output-format concise .',
    files: ['ruff.toml', '.ruff.toml', 'pyproject.toml'],
  },
  { name: 'mypy', command: 'mypy --no-color-output --no-error-summary .', files: ['mypy.ini', '.mypy.ini'] },
  { name: 'cargo', command: 'cargo check --quiet --message-format short', files: ['Cargo.toml'] },
  { name: 'go', command: 'go vet ./...', files: ['go.mod'] },
]

/** The command that a call of the tool runs. `undefined`: it runs none. */
export function commandOfChecker(name: unknown): string | undefined {
  return CHECKERS.find((checker) => checker.name === name)?.command
}

/** Those that the project uses, as the names of its files tell. */
export function findCheckers(names: readonly string[]): readonly Checker[] {
  const there = new Set(names)
  return CHECKERS.filter(({ files }) => files.some((file) => there.has(file)))
}
