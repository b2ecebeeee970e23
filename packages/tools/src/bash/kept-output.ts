// Keeps the beginning and the end of a command's output in memory. Longer output is also written to a file.
import { createWriteStream, type WriteStream } from 'node:fs'
import { toHarmless } from './harmless-text.ts'

const SHOWN_AT_EACH_END = 32 * 1024

/** After one of these events, do not wait for the file. */
const SETTLED = ['drain', 'error', 'close'] as const

export interface KeptOutput {
  /** Returns whether the caller may write more now. Otherwise wait for `drained`. */
  add(chunk: Buffer): boolean
  drained(): Promise<void>
  readonly bytes: number
  /** Closes the file. */
  close(): Promise<void>
  /** The text for the model. */
  text(): string
}

export interface KeptOutputOptions {
  /** The file for long output. */
  readonly path: string
  readonly mostBytes: number
}

export function createKeptOutput({ path, mostBytes }: KeptOutputOptions): KeptOutput {
  const head: Buffer[] = []
  let headBytes = 0
  let tail: Buffer[] = []
  let tailBytes = 0
  let bytes = 0
  let file: WriteStream | undefined
  let problem: string | undefined

  function keep(chunk: Buffer): void {
    const forHead = chunk.subarray(0, Math.max(0, SHOWN_AT_EACH_END - headBytes))
    if (forHead.length > 0) head.push(Buffer.from(forHead))
    headBytes += forHead.length
    const forTail = chunk.subarray(forHead.length)
    if (forTail.length === 0) return
    tail.push(Buffer.from(forTail))
    tailBytes += forTail.length
    if (tailBytes < 8 * SHOWN_AT_EACH_END) return
    tail = [Buffer.concat(tail).subarray(-SHOWN_AT_EACH_END)]
    tailBytes = SHOWN_AT_EACH_END
  }

  function openFile(): WriteStream {
    const stream = createWriteStream(path, { flags: 'wx', mode: 0o600 })
    stream.on('error', (error) => (problem ??= error.message))
    return stream
  }

  return {
    add(chunk) {
      const room = Math.max(0, mostBytes - bytes)
      const accepted = chunk.subarray(0, room)
      const before = file ? [] : [...head, ...tail]
      bytes += accepted.length
      keep(accepted)
      if (bytes <= 2 * SHOWN_AT_EACH_END || accepted.length === 0) return true
      file ??= openFile()
      for (const early of before) file.write(early)
      return problem !== undefined || file.write(accepted)
    },
    drained: () =>
      new Promise((resolve) => {
        if (!file || problem !== undefined || !file.writableNeedDrain) return resolve()
        const stream = file
        const done = () => {
          for (const event of SETTLED) stream.off(event, done)
          resolve()
        }
        for (const event of SETTLED) stream.on(event, done)
      }),
    get bytes() {
      return bytes
    },
    close: () =>
      new Promise((resolve) => {
        if (!file || file.closed) return resolve()
        file.once('close', resolve)
        file.end()
      }),
    text() {
      const end = Buffer.concat(tail)
      if (bytes <= 2 * SHOWN_AT_EACH_END) return toHarmless(Buffer.concat([...head, end]).toString())
      const last = fromCharacterBorder(end.subarray(-SHOWN_AT_EACH_END))
      const leftOut = bytes - headBytes - last.length
      const where = problem === undefined ? `all of it is in ${path}` : `the file with all of it failed: ${problem}`
      const first = new TextDecoder().decode(Buffer.concat(head), { stream: true })
      return `${toHarmless(first)}\n[… ${leftOut} bytes left out; ${where} …]\n${toHarmless(last.toString())}`
    },
  }
}

/** Skips the bytes before the first whole character. */
function fromCharacterBorder(bytes: Buffer): Buffer {
  let at = 0
  while (at < 3 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++
  return bytes.subarray(at)
}
