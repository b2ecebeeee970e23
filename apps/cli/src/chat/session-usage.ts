import type { UsageReport } from '@polylogue/console/client'
import { formatCost } from '../usage-table.ts'

/** Calls, tokens and cost of a session, in one line. */
export function formatSessionUsage({ total }: UsageReport): string {
  if (total === undefined || total.calls === 0) return 'Nothing was used in this session yet.'
  const { calls, inputTokens, outputTokens } = total
  const cost = formatCost(total)
  return [
    calls === 1 ? '1 model call' : `${calls} model calls`,
    `tokens: ${inputTokens} read, ${outputTokens} written`,
    cost === '?' || cost === '' ? 'cost unknown' : cost,
  ].join(' · ')
}
