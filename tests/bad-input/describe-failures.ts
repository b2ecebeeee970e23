import type { Report } from './run-inputs.ts'

const LONGEST_KIND = 200

/** What went wrong, and how to see it again; nothing when nothing did. */
export function describeFailures({ failures, plan: { seed } }: Report): string {
  return failures
    .map(({ index, kind, complaints }) => {
      const size = /^the batch of (\d+)/.exec(kind)?.[1] ?? '1'
      const again = `POLYLOGUE_PROOF_SEED='${seed}' BAD_INPUT_FROM=${index} BAD_INPUT_COUNT=${size}`
      return `input ${index}, ${kind.slice(0, LONGEST_KIND)}\n  ${complaints.join('\n  ')}\n  again: ${again}`
    })
    .join('\n')
}
