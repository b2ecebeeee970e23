import type { ModelCard, ModelList } from '@polylogue/console/client'
import { formatTable } from './table.ts'
import { toTerminalLine } from './terminal-text.ts'

export function formatModels(models: readonly ModelCard[]): string {
  const rows = models.map((model) => [
    `${toTerminalLine(model.name)}${model.isDefault ? ' (default)' : ''}`,
    formatTokens(model.window),
    ...pricesOf(model),
    [...(model.images === true ? ['images'] : []), ...(model.thinking === undefined ? [] : ['thinking'])].join(', '),
  ])
  return formatTable(['MODEL', 'INPUT LIMIT', 'INPUT', 'CACHED', 'OUTPUT', 'ABILITIES'], rows)
}

/** An unknown price is a question mark, never a zero. */
function pricesOf({ price }: ModelCard): readonly string[] {
  if (price === undefined) return ['?', '?', '?']
  const unit = price.currency === 'USD' ? '$' : `${price.currency} `
  return [price.input, price.cachedInput, price.output].map((rate) => (rate === undefined ? '-' : `${unit}${rate}`))
}

function formatTokens(tokens: number | undefined): string {
  if (tokens === undefined) return '?'
  return tokens >= 1_000_000 ? `${Number((tokens / 1_000_000).toFixed(2))}M` : `${Math.round(tokens / 1000)}k`
}

/** Sentences about the default, where the figures come from, and what other providers need. */
export function modelNotes({ default: chosen, providers, catalogue }: ModelList): readonly string[] {
  const waiting = providers.filter(({ isReady }) => !isReady)
  return [
    `Default: ${toTerminalLine(chosen.reason)}`,
    `Prices per million tokens, from the list of ${catalogue.date} unless the configuration has its own.`,
    ...(waiting.length === 0
      ? []
      : ['Not ready:', ...waiting.map(({ name, need }) => `  ${toTerminalLine(`${name}: ${need ?? ''}`)}`)]),
  ]
}
