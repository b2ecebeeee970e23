/** The end of a text that grows, and what of it was not read yet. */
export interface KeptTail {
  add(text: string): void
  /** What came since the last time. Says how much of it was dropped. */
  take(): string
  readonly hasNews: boolean
}

export function createKeptTail(mostCharacters: number): KeptTail {
  let unread = ''
  let dropped = 0
  return {
    add(text) {
      unread += text
      // Cut rarely: a command that prints fast adds many small pieces.
      if (unread.length <= 2 * mostCharacters) return
      dropped += unread.length - mostCharacters
      unread = unread.slice(-mostCharacters)
    },
    take() {
      const over = Math.max(0, unread.length - mostCharacters)
      const left = dropped + over
      const text = unread.slice(over).toWellFormed()
      unread = ''
      dropped = 0
      return left === 0 ? text : `[… ${left} characters left out …]\n${text}`
    },
    get hasNews() {
      return unread !== ''
    },
  }
}
