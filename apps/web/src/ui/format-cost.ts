import type { UsageAmounts } from '@polylogue/client/console'

type Amounts = Pick<UsageAmounts, 'cost' | 'unpricedCalls'>

/** An unknown price is `?`, never zero. */
export function formatCost({ cost, unpricedCalls }: Amounts, language: string): string {
  const known = Object.entries(cost).map(([currency, amount]) =>
    new Intl.NumberFormat(language, { style: 'currency', currency, maximumFractionDigits: 4 }).format(amount),
  )
  return [...known, ...(unpricedCalls > 0 ? ['?'] : [])].join(' + ') || '–'
}
