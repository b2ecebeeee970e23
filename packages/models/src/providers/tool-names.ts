const SAFE_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/
const LONGEST_NAME = 64

/**
 * Tool names in the format every provider accepts. A client may name a tool `files.read`, and a model may call an unknown
 * tool; either name in the history would make every later request fail.
 */
export class ToolNames {
  readonly #sent = new Map<string, string>()
  readonly #meant = new Map<string, string>()

  constructor(offered: readonly string[]) {
    for (const name of offered) if (SAFE_NAME.test(name)) this.#link(name, name)
    for (const name of offered) this.toSent(name)
  }

  toSent(name: string): string {
    return this.#sent.get(name) ?? this.#link(name, this.#unusedLike(name))
  }

  fromSent(sent: string): string {
    return this.#meant.get(sent) ?? sent
  }

  #unusedLike(name: string): string {
    const safe = name.replaceAll(/[^A-Za-z0-9_-]/g, '_').replace(/^(?![A-Za-z_])/, '_')
    for (let number = 1; ; number++) {
      const ending = number === 1 ? '' : `_${number}`
      const candidate = safe.slice(0, LONGEST_NAME - ending.length) + ending
      if (!this.#meant.has(candidate)) return candidate
    }
  }

  #link(name: string, sent: string): string {
    this.#sent.set(name, sent)
    this.#meant.set(sent, name)
    return sent
  }
}
