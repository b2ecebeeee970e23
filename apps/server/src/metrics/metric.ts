/**
 * Counters, gauges and histograms in Prometheus's text format, version 0.0.4:
 *
 *     # HELP name what it counts
 *     # TYPE name counter
 *     name{label="value"} 12
 */
export interface Metric {
  expose(): string
}

type Labels = Readonly<Record<string, string>>

/** One combination of labels. */
export interface Count {
  add(amount?: number): void
}

export interface Counter extends Metric {
  add(labels?: Labels, amount?: number): void
  /** For callers that add often with the same labels. */
  of(labels: Labels): Count
  /** Over all labels. */
  readonly total: number
}

class Series implements Count {
  /** As they are exposed. */
  readonly labels: string
  value = 0

  constructor(labels: string) {
    this.labels = labels
  }

  add(amount = 1): void {
    this.value += amount
  }
}

/** Cheaper than the exposed form: every request adds to a counter. */
function keyOf(labels: Labels): string {
  let key = ''
  for (const name in labels) key += `${name}\n${labels[name]}\n\n`
  return key
}

/** Contract for callers: label values come from a small fixed set; each new value takes memory forever. */
export function createCounter(name: string, help: string): Counter {
  const series = new Map<string, Series>()
  const find = (labels: Labels): Series => {
    const key = keyOf(labels)
    const known = series.get(key)
    if (known !== undefined) return known
    const made = new Series(formatLabels(labels))
    series.set(key, made)
    return made
  }
  return {
    add: (labels = {}, amount = 1) => find(labels).add(amount),
    of: find,
    get total() {
      let total = 0
      for (const { value } of series.values()) total += value
      return total
    },
    expose() {
      const lines = [...series.values()].map(({ labels, value }) => `${name}${labels} ${value}\n`)
      return head(name, 'counter', help) + lines.join('')
    },
  }
}

/** `read` is called for each scrape. `undefined`: unknown at the moment. */
export function createGauge(name: string, help: string, read: () => number | undefined): Metric {
  return {
    expose() {
      const value = read()
      return value === undefined ? '' : `${head(name, 'gauge', help)}${name} ${value}\n`
    },
  }
}

export interface Histogram extends Metric {
  observe(value: number): void
}

/** `bounds` ascend. Larger values count under `+Inf`. */
export function createHistogram(name: string, help: string, bounds: readonly number[]): Histogram {
  const counts = new Float64Array(bounds.length + 1)
  let sum = 0
  return {
    observe(value) {
      const index = bounds.findIndex((bound) => value <= bound)
      const at = index === -1 ? bounds.length : index
      counts[at] = (counts[at] ?? 0) + 1
      sum += value
    },
    expose() {
      let count = 0
      const lines = [...bounds.map(String), '+Inf'].map((bound, index) => {
        count += counts[index] ?? 0
        return `${name}_bucket${formatLabels({ le: bound })} ${count}\n`
      })
      return `${head(name, 'histogram', help)}${lines.join('')}${name}_sum ${sum}\n${name}_count ${count}\n`
    },
  }
}

function head(name: string, type: string, help: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' }

function formatLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${value.replace(/[\\"\n]/g, (character) => ESCAPES[character] ?? '')}"`,
  )
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}
