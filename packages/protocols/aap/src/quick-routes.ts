import type { RouteAnswer, Sockets } from './transport/exchange.ts'

/** A route that needs no router: a method, and a path of which at most one part is the id of a session. */
export interface QuickRoute {
  /** With `:id`, as the router spells it. */
  readonly pattern: string
  answer(sockets: Sockets): Promise<void>
}

export interface FoundRoute {
  readonly route: QuickRoute
  readonly id: string
}

/**
 * Finds the routes of this door with two string comparisons. Any other spelling of a path, such as an escaped one, is
 * not found here and is left to the router.
 */
export class QuickRoutes {
  readonly #base: string
  readonly #sessions: string
  readonly #fixed = new Map<string, QuickRoute>()
  readonly #ofSession = new Map<string, QuickRoute>()

  /** `base` is where the routes are mounted, and `sessions` the path of a session without its id. */
  constructor(base: string, sessions: string) {
    this.#base = base
    this.#sessions = `${base}${sessions}/`
  }

  add(method: string, path: string, answer: RouteAnswer): void {
    const pattern = `${this.#base}${path}`
    const route = { pattern, answer }
    const [, rest] = pattern.split(':id', 2)
    if (rest === undefined) this.#fixed.set(`${method} ${pattern}`, route)
    else this.#ofSession.set(`${method} ${rest}`, route)
  }

  find(method: string, url: string): FoundRoute | undefined {
    const query = url.indexOf('?')
    const path = query === -1 ? url : url.slice(0, query)
    if (!path.startsWith(this.#sessions)) {
      const route = this.#fixed.get(`${method} ${path}`)
      return route && { route, id: '' }
    }
    const start = this.#sessions.length
    const end = path.indexOf('/', start)
    const id = end === -1 ? path.slice(start) : path.slice(start, end)
    const route = this.#ofSession.get(`${method} ${end === -1 ? '' : path.slice(end)}`)
    return route === undefined || id === '' || id.includes('%') ? undefined : { route, id }
  }
}
