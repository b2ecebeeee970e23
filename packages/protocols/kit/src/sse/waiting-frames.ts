/**
 * Frames that a reader has not been given yet. They are joined when they are taken: readers of one session share the
 * frames, and joined earlier, each reader that falls behind would hold a copy of its own.
 */
export class WaitingFrames {
  readonly #frames: string[] = []
  #length = 0

  /** How many characters wait. */
  get length(): number {
    return this.#length
  }

  add(frame: string): void {
    this.#frames.push(frame)
    this.#length += frame.length
  }

  /** Takes the first frames: at most `most` characters, unless the first frame alone is longer. */
  take(most: number): string {
    const frames = this.#frames
    let text = frames[0] ?? ''
    let count = 1
    for (let next = frames[1]; next !== undefined && text.length + next.length <= most; next = frames[++count])
      text += next
    if (count >= frames.length) frames.length = 0
    else frames.splice(0, count)
    this.#length -= text.length
    return text
  }

  clear(): void {
    this.#frames.length = 0
    this.#length = 0
  }
}
