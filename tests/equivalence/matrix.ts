import type { DoorDriver } from './driver.ts'
import type { Difference } from './play-scenario.ts'
import type { Scenario } from './scenarios.ts'

/** The results of all plays. */
export class Matrix {
  readonly #drivers: readonly DoorDriver[]
  readonly #scenarios: readonly Scenario[]
  readonly #played = new Set<string>()
  readonly #red = new Set<string>()

  constructor(drivers: readonly DoorDriver[], scenarios: readonly Scenario[]) {
    this.#drivers = drivers
    this.#scenarios = scenarios
  }

  add(scenario: Scenario, differences: readonly Difference[]): void {
    for (const { name } of this.#drivers) this.#played.add(`${scenario.name}/${name}`)
    for (const { door } of differences) this.#red.add(`${scenario.name}/${door}`)
  }

  isRed(scenario: Scenario, door: DoorDriver): boolean {
    return this.#red.has(`${scenario.name}/${door.name}`)
  }

  toMarkdown(): string {
    const head = ['scenario', ...this.#drivers.map(({ name }) => name)]
    const rows = this.#scenarios.map((scenario) => [
      scenario.name,
      ...this.#drivers.map((door) => this.#cell(scenario, door)),
    ])
    const limits = this.#drivers.flatMap(({ name, limits: all }) => all.map(({ what, rule }) => [name, what, rule]))
    return `${toTable([head, ...rows])}\n\n${toTable([['door', 'not carried', 'rule'], ...limits])}`
  }

  #cell({ name }: Scenario, door: DoorDriver): string {
    const key = `${name}/${door.name}`
    if (!this.#played.has(key)) return '–'
    if (this.#red.has(key)) return '✗'
    const limit = name === 'token limit' ? door.limits.find(({ what }) => what === 'token limit') : undefined
    return limit === undefined ? '✓' : `✓ (${limit.rule})`
  }
}

const toTable = ([head = [], ...rows]: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
