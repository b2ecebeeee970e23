export interface Flushable {
  flush(): void
}

/**
 * Gathers what every connection has to write and writes it once per turn of the event loop, from one immediate for
 * all of them: the system call is what a delta costs.
 */
export class FlushQueue {
  #dirty: Flushable[] = []

  add(connection: Flushable): void {
    if (this.#dirty.push(connection) === 1) setImmediate(() => this.#run())
  }

  #run(): void {
    const dirty = this.#dirty
    this.#dirty = []
    for (const connection of dirty) connection.flush()
  }
}
