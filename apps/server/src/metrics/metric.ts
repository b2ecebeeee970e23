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

export interface Counter extends Metric {
  add(labels?: Labels, amount?: number): void
  /** Over all labels. */
  readonly total: number
}

interface Series {
  /** As they are exposed. */
  readonly labels: string
  value: number
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
  return {
    add(labels = {}, amount = 1) {
      const key = keyOf(labels)
      let one = series.get(key)
      if (one === undefined) {
        one = { labels: formatLabels(labels), value: 0 }
        series.set(key, one)
      }
      one.value += amount
    },
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
