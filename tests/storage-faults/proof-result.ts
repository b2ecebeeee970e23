import { appendFileSync } from 'node:fs'

/** The result of one proof. `npm run proof` builds its report from these. */
export interface ProofResult {
  /** The row of the fault plan, such as `F2`. */
  readonly id: string
  readonly what: string
  readonly count: number
  readonly failures: number
  /** Where the sessions were stored. Default: `sqlite`. */
  readonly store?: 'sqlite' | 'postgres'
  readonly seed: string
  readonly seconds: number
  /** The failure. It is shown at once, whereas vitest reports it after all proofs. */
  readonly complaints?: readonly string[]
}

const MOST_COMPLAINTS = 10
const LONGEST_COMPLAINT = 2_000

/** Writes one JSON line to the file in `POLYLOGUE_PROOF_RESULTS`, if that is set. */
export function tellProof({ complaints = [], ...result }: ProofResult): void {
  const file = process.env['POLYLOGUE_PROOF_RESULTS']
  if (file === undefined || file === '') return
  const first = complaints.slice(0, MOST_COMPLAINTS).map((complaint) => complaint.slice(0, LONGEST_COMPLAINT))
  appendFileSync(file, `${JSON.stringify(first.length === 0 ? result : { ...result, complaints: first })}\n`)
}

/** Seconds since it was created, with one decimal. */
export function startStopwatch(): () => number {
  const startedAt = performance.now()
  return () => Math.round((performance.now() - startedAt) / 100) / 10
}

/** A twentieth of `count` in `npm run proof -- --sample`, which shows whether a proof runs. */
export function proofSize(count: number): number {
  return process.env['POLYLOGUE_PROOF_SAMPLE'] === '1' ? Math.ceil(count / 20) : count
}
