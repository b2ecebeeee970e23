import { isAbsolute, relative } from 'node:path'

export interface Diagnostic {
  /** Relative to the working directory, where it is below it. */
  readonly path: string
  readonly line: number
  readonly column?: number
  readonly message: string
}

/** `a.ts(3,5): error TS1: text`, as tsc writes it. */
const IN_BRACKETS = /^(?<path>[^\s(][^(]*)\((?<line>\d+),(?<column>\d+)\): (?<message>.+)$/
/** `a.rs:3:5: text` or `a.py:3: text`, as most others do. Go puts `vet: ` before it. */
const WITH_COLONS = /^(?:vet: )?(?<path>[^\s:][^:]*):(?<line>\d+)(?::(?<column>\d+))?: (?<message>.+)$/
/** `  3:5  error  text`, below a line with the path, as eslint does. */
const BELOW_PATH = /^\s+(?<line>\d+):(?<column>\d+)\s+(?<message>\S.*)$/

/** Finds the problems in what a checker printed. Lines of another form are left out. */
export function parseDiagnostics(printed: string, cwd: string): readonly Diagnostic[] {
  const found: Diagnostic[] = []
  let heading: string | undefined
  for (const line of printed.split(/\r?\n/)) {
    const below = heading === undefined ? undefined : BELOW_PATH.exec(line)?.groups
    const whole = below ?? (IN_BRACKETS.exec(line) ?? WITH_COLONS.exec(line))?.groups
    const path = below ? heading : whole?.['path']
    if (whole === undefined || path === undefined) {
      heading = isAbsolute(line) ? line : undefined
      continue
    }
    const { column } = whole
    found.push({
      path: shorten(path, cwd),
      line: Number(whole['line']),
      ...(column !== undefined && { column: Number(column) }),
      message: (whole['message'] ?? '').trim().replace(/\s{2,}/g, '  '),
    })
  }
  return found
}

function shorten(path: string, cwd: string): string {
  if (!isAbsolute(path)) return path.replace(/^\.\//, '')
  const short = relative(cwd, path)
  return short.startsWith('..') ? path : short
}
