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

/** Contract for callers: label values come from a small fixed set; each new value takes memory forever. */
export function createCounter(name: string, help: string): Counter {
  const series = new Map<string, number>()
  return {
    add(labels = {}, amount = 1) {
      const key = formatLabels(labels)
      series.set(key, (series.get(key) ?? 0) + amount)
    },
    get total() {
      return [...series.values()].reduce((sum, value) => sum + value, 0)
    },
    expose: () => head(name, 'counter', help) + [...series].map(([key, value]) => `${name}${key} ${value}\n`).join(''),
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
