import fc from 'fast-check'
import { inspectCommand } from '@polylogue/tools'
import { arbitraryCommand } from './arbitrary-command.ts'
import { isBashSyntax } from './bash-syntax.ts'
import { judgeCommand } from './judge-command.ts'
import { findChanged } from './record-arguments.ts'

export interface FuzzPlan {
  readonly seed: number
  readonly commands: number
  /** Of these, how many are given to bash to parse, and how many to a shell that records its arguments. */
  readonly parsedByBash: number
  readonly recorded: number
}

export interface FuzzResult {
  readonly complaints: readonly string[]
  readonly slowestMs: number
}

const SLOWEST_MS = 2000
/** The kernel takes no longer argument. */
const LONGEST_ARGUMENT = 128 * 1024 - 1

export async function fuzzCommands({ seed, commands, parsedByBash, recorded }: FuzzPlan): Promise<FuzzResult> {
  const made = fc.sample(arbitraryCommand, { seed, numRuns: commands })
  const complaints: string[] = []
  let slowestMs = 0
  for (const one of made) {
    const startedAt = performance.now()
    const problems = await judgeCommand(one)
    const tookMs = performance.now() - startedAt
    slowestMs = Math.max(slowestMs, tookMs)
    if (tookMs > SLOWEST_MS) complaints.push(`took ${Math.round(tookMs)} ms: ${show(one.command)}`)
    for (const problem of problems) complaints.push(`${problem}: ${show(one.command)}`)
  }
  const usable = made
    .map(({ command }) => command)
    .filter((command) => command !== '' && !command.includes('\0') && command.isWellFormed())
    .filter((command) => Buffer.byteLength(command) <= LONGEST_ARGUMENT)
  for (const command of sampleOf(usable, parsedByBash)) {
    const { facts } = await inspectCommand(command)
    if (facts.isUnderstood && !isBashSyntax(command))
      complaints.push(`understood, but bash refuses it: ${show(command)}`)
  }
  for (const command of await findChanged(sampleOf(usable, recorded))) complaints.push(`changed: ${show(command)}`)
  return { complaints, slowestMs }
}

/** Evenly spread. */
function sampleOf<T>(all: readonly T[], count: number): readonly T[] {
  const step = Math.max(1, Math.floor(all.length / count))
  return all.filter((_, index) => index % step === 0).slice(0, count)
}

function show(command: string): string {
  return JSON.stringify(command.slice(0, 200))
}
