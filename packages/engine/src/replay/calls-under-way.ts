/** Calls of the engine to stores that are not part of a replay's own world, such as a database elsewhere. */
export class CallsUnderWay {
  readonly #open = new Set<Promise<unknown>>()

  /** The same port. Its promises are known here until they settle. */
  watch<Port extends object>(port: Port): Port {
    return new Proxy(port, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target)
        if (typeof member !== 'function') return member
        return (...args: readonly unknown[]): unknown => this.#keep(Reflect.apply(member, target, args))
      },
    })
  }

  /** Resolves when none is open. Returns whether one was. */
  async settle(): Promise<boolean> {
    if (this.#open.size === 0) return false
    await Promise.allSettled(this.#open)
    return true
  }

  #keep(result: unknown): unknown {
    if (!(result instanceof Promise)) return result
    const forget = (): void => void this.#open.delete(result)
    this.#open.add(result)
    result.then(forget, forget)
    return result
  }
}
