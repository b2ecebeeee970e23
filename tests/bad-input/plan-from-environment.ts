import type { Plan } from './run-inputs.ts'

/**
 * `POLYLOGUE_PROOF_SEED` sends others than usual. `BAD_INPUT_FROM` and `BAD_INPUT_COUNT` send some of them again: the
 * numbers that a failure names.
 */
export function planFromEnvironment(usual: Plan): Plan {
  const { POLYLOGUE_PROOF_SEED: seed, BAD_INPUT_FROM: from, BAD_INPUT_COUNT: count } = process.env
  return {
    seed: seed ?? usual.seed,
    from: from === undefined ? usual.from : Number(from),
    count: count === undefined ? usual.count : Number(count),
  }
}
