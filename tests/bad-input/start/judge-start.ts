import type { StartOutcome } from './try-start.ts'

/** sysexits.h: something is configured in a way that cannot be run with. */
export const EXIT_CONFIG = 78
export const EXIT_USAGE = 2
export const EXIT_FAILURE = 1

export interface StartExpectation {
  /** How it may end; `starts` = it may come up as well. */
  readonly ends: readonly (number | 'starts')[]
  /** What the one line says, if it does not come up. */
  readonly names?: readonly string[]
  /** What must not be repeated anywhere. */
  readonly hides?: readonly string[]
}

const LONGEST_LINE = 1100
/** A stack, or the insides of the program. */
const INSIDE_KNOWLEDGE = /\n {4}at |node:internal|Node\.js v\d|\.ts:\d+|Unhandled|uncaught/

/** What is wrong with how a start went. `patienceMs`: how long it may take to say no. */
export function judgeStart(
  { exitCode, stdout, stderr, ms, toStrangers }: StartOutcome,
  { ends, names = [], hides = [] }: StartExpectation,
  patienceMs: number,
): readonly string[] {
  const complaints: string[] = []
  const hasStarted = exitCode === undefined
  if (!ends.includes(hasStarted ? 'starts' : (exitCode ?? -1))) {
    complaints.push(hasStarted ? 'it came up' : `it ended with ${exitCode}: ${stderr.slice(0, 500)}`)
  }
  for (const secret of hides) if (`${stdout}${stderr}`.includes(secret)) complaints.push(`it repeats ${secret}`)
  if (hasStarted) {
    if (toStrangers.some((status) => status !== 401)) complaints.push(`strangers were told ${toStrangers.join(', ')}`)
    return complaints
  }
  if (stdout !== '') complaints.push(`it said on stdout ${stdout.slice(0, 200)}`)
  if (!/^polylogue: [^\n]+\n$/.test(stderr))
    complaints.push(`it did not say one line: ${JSON.stringify(stderr.slice(0, 500))}`)
  if (/[\p{Cc}\u2028\u2029]/u.test(stderr.slice(0, -1)))
    complaints.push(`it repeats control characters: ${JSON.stringify(stderr.slice(0, 300))}`)
  if (stderr.length > LONGEST_LINE) complaints.push(`it said ${stderr.length} characters`)
  if (INSIDE_KNOWLEDGE.test(stderr)) complaints.push(`it told its insides: ${stderr.slice(0, 500)}`)
  for (const name of names)
    if (!stderr.includes(name)) complaints.push(`it does not name ${name}: ${stderr.slice(0, 300)}`)
  if (ms > patienceMs) complaints.push(`it took ${Math.round(ms)} ms`)
  return complaints
}
