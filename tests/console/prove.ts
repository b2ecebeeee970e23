import { startStopwatch, tellProof } from '../storage-faults/proof-result.ts'

export interface ProvenLine {
  /** What `npm run proof -- …` names it by. */
  readonly id?: string
  readonly what: string
  readonly count: number
}

/** A test that also tells its row. What it returns was measured, and is added to the row. */
export function proven({ id = 'console', what, count }: ProvenLine, run: () => Promise<string | void>) {
  return async (): Promise<void> => {
    const seconds = startStopwatch()
    const row = { id, count, seed: 'none' }
    try {
      const measured = await run()
      const told = measured === undefined ? what : `${what}: ${measured}`
      tellProof({ ...row, what: told, failures: 0, seconds: seconds() })
    } catch (error) {
      tellProof({ ...row, what, failures: 1, seconds: seconds(), complaints: [String(error)] })
      throw error
    }
  }
}
