import type { UsageAmounts } from '@polylogue/client/console'

type Amounts = Pick<UsageAmounts, 'cost' | 'unpricedCalls'> & Partial<Pick<UsageAmounts, 'calls' | 'untoldCalls'>>

/** An unknown price is `?`, never zero, and a small amount has enough digits to differ from zero. */
export function formatCost({ cost, calls, unpricedCalls, untoldCalls }: Amounts, language: string): string {
  const known = Object.entries(cost).map(([currency, amount]) => {
    const digits = amount > 0 && amount < 0.01 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 4 }
    return new Intl.NumberFormat(language, { style: 'currency', currency, ...digits }).format(amount)
  })
  const isUntold = calls !== undefined && untoldCalls === calls && known.length === 0
  return [...known, ...(unpricedCalls > 0 || isUntold ? ['?'] : [])].join(' + ') || '–'
}
