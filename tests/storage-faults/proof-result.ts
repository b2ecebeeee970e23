import { appendFileSync } from 'node:fs'

/** What one proof did. `npm run proof` makes its report of these. */
export interface ProofResult {
  /** The row of the fault plan, such as `F2`. */
  readonly id: string
  readonly what: string
  readonly count: number
  readonly failures: number
  readonly seed: string
  readonly seconds: number
}

/** One JSON line in the file that `POLYLOGUE_PROOF_RESULTS` names, if it names one. */
export function tellProof(result: ProofResult): void {
  const file = process.env['POLYLOGUE_PROOF_RESULTS']
  if (file !== undefined && file !== '') appendFileSync(file, `${JSON.stringify(result)}\n`)
}

/** Seconds since it was made, with one decimal. */
export function startStopwatch(): () => number {
  const startedAt = performance.now()
  return () => Math.round((performance.now() - startedAt) / 100) / 10
}
