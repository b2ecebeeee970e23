import type { Plan } from './run-inputs.ts'

/**
 * `BAD_INPUT_SEED` sends others than usual. `BAD_INPUT_FROM` and `BAD_INPUT_COUNT` send some again: the two numbers that
 * a failure names.
 */
export function planFromEnvironment(usual: Plan): Plan {
  const { BAD_INPUT_SEED: seed, BAD_INPUT_FROM: from, BAD_INPUT_COUNT: count } = process.env
  return {
    seed: seed ?? usual.seed,
    from: from === undefined ? usual.from : Number(from),
    count: count === undefined ? usual.count : Number(count),
  }
}
