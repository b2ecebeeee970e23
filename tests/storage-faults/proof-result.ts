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
  /** What failed; it is shown at once, while vitest tells it when all proofs are over. */
  readonly complaints?: readonly string[]
}

const MOST_COMPLAINTS = 10
const LONGEST_COMPLAINT = 2_000

/** One JSON line in the file that `POLYLOGUE_PROOF_RESULTS` names, if it names one. */
export function tellProof({ complaints = [], ...result }: ProofResult): void {
  const file = process.env['POLYLOGUE_PROOF_RESULTS']
  if (file === undefined || file === '') return
  const first = complaints.slice(0, MOST_COMPLAINTS).map((complaint) => complaint.slice(0, LONGEST_COMPLAINT))
  appendFileSync(file, `${JSON.stringify(first.length === 0 ? result : { ...result, complaints: first })}\n`)
}

/** Seconds since it was made, with one decimal. */
export function startStopwatch(): () => number {
  const startedAt = performance.now()
  return () => Math.round((performance.now() - startedAt) / 100) / 10
}
