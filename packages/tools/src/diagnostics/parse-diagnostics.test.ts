import { expect, it } from 'vitest'
import { findCheckers } from './checkers.ts'
import { parseDiagnostics } from './parse-diagnostics.ts'

const CWD = '/work/app'

it.each([
  [
    'tsc',
    "src/a.ts(3,5): error TS2322: Type 'x'.\n  more about it\nFound 1 error.",
    "src/a.ts:3:5 error TS2322: Type 'x'.",
  ],
  [
    'eslint',
    "/work/app/src/a.js\n  1:7  error  'x' is unused  no-unused-vars\n\n✖ 1 problem",
    "src/a.js:1:7 error  'x' is unused  no-unused-vars",
  ],
  [
    'oxlint',
    'src/a.js:2:1: `x` is empty [Warning/eslint(no-empty)]',
    'src/a.js:2:1 `x` is empty [Warning/eslint(no-empty)]',
  ],
  ['ruff', 'a.py:1:8: F401 `os` imported but unused\nFound 1 error.', 'a.py:1:8 F401 `os` imported but unused'],
  [
    'mypy',
    'pkg/a.py:3: error: Name "x" is not defined  [name-defined]',
    'pkg/a.py:3 error: Name "x" is not defined  [name-defined]',
  ],
  [
    'cargo',
    'src/main.rs:2:5: error[E0425]: cannot find value `x`\nerror: could not compile',
    'src/main.rs:2:5 error[E0425]: cannot find value `x`',
  ],
  ['go', '# app\n./main.go:4:2: unreachable code', 'main.go:4:2 unreachable code'],
  ['go', 'vet: ./main.go:4:2: undefined: x', 'main.go:4:2 undefined: x'],
])('the problems that %s prints are found', (_, printed, expected) => {
  const found = parseDiagnostics(printed, CWD).map(
    ({ path, line, column, message }) => `${path}:${line}${column === undefined ? '' : `:${column}`} ${message}`,
  )
  expect(found).toEqual([expected])
})

it('other output has none', () => {
  expect(parseDiagnostics('npm error could not determine executable to run\nat 10:32 the end', CWD)).toEqual([])
})

it('files determine the checkers of a project', () => {
  const names = (...files: string[]) => findCheckers(files).map(({ name }) => name)
  expect(names('tsconfig.json', 'eslint.config.mjs', 'README.md')).toEqual(['tsc', 'eslint'])
  expect(names('Cargo.toml', 'go.mod', 'ruff.toml')).toEqual(['ruff', 'cargo', 'go'])
  expect(names('package.json')).toEqual([])
})
