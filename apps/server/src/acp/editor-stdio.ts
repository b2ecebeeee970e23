import { createWriteStream, fstatSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { LineReader, LineTooLong } from '@polylogue/kit/light'

/** Frames come in by stdin and leave by stdout, which carries nothing else. */
export interface EditorStdio {
  /** Begins to read. */
  listen(listener: EditorListener): void
  /** Stops reading until `resume`. */
  pause(): void
  resume(): void
  write(bytes: Uint8Array): void
  /** Resolves when the editor has taken most of what was written. */
  drained(): Promise<void>
  /** Resolves when everything is written, or the editor is gone. */
  flush(): Promise<void>
}

export interface EditorListener {
  line(line: Uint8Array): void
  /** Called once: the editor closed its end, stopped reading, or sent a line that is too long. */
  left(reason: string | undefined): void
}

/** The longest frame. */
const MAX_LINE_BYTES = 32 * 1024 * 1024
const LINE_END = Buffer.from('\n')

/**
 * Takes stdin and stdout for the protocol. From now on everything else that is printed goes to stderr: a stray line would
 * be a broken frame.
 */
export function openEditorStdio(): EditorStdio {
  const out = openStdout()
  process.stdout.write = process.stderr.write.bind(process.stderr)
  let isBroken = false
  out.on('error', () => {
    isBroken = true
  })
  return {
    listen({ line, left }) {
      let hasLeft = false
      const leave = (reason?: string): void => {
        if (hasLeft) return
        hasLeft = true
        process.stdin.pause()
        left(reason)
      }
      const lines = new LineReader(MAX_LINE_BYTES)
      process.stdin.on('data', (chunk: Buffer) => {
        if (hasLeft) return
        try {
          for (const complete of lines.push(chunk)) if (!isBlank(complete)) line(complete)
        } catch (error) {
          if (!(error instanceof LineTooLong)) throw error
          leave(`A line is longer than ${MAX_LINE_BYTES} bytes.`)
        }
      })
      process.stdin.on('end', () => {
        const last = lines.end()
        if (!hasLeft && last !== undefined && isJson(last)) line(Buffer.concat([last, LINE_END]))
        leave()
      })
      process.stdin.on('error', () => leave())
      // EPIPE or its equivalent on a socket: the editor is gone, and stdin will end too.
      out.on('error', () => leave())
    },
    pause: () => void process.stdin.pause(),
    resume: () => void process.stdin.resume(),
    write(bytes) {
      if (!isBroken) out.write(bytes)
    },
    async drained() {
      if (isBroken || !out.writableNeedDrain) return
      await new Promise<void>((resolve) => {
        out.once('drain', resolve)
        out.once('error', () => resolve())
      })
    },
    flush: () =>
      new Promise((resolve) => {
        if (isBroken) return resolve()
        out.write('', () => resolve())
        out.once('error', () => resolve())
      }),
  }
}

/**
 * Node writes to a pipe on stdout synchronously, so an editor that does not read would block this process, and other
 * editors with it. Our own stream does not block.
 */
function openStdout(): Writable {
  const stats = fstatSync(1)
  if (stats.isFIFO() || stats.isSocket()) return new Socket({ fd: 1, readable: false, writable: true })
  return createWriteStream('', { fd: 1, autoClose: false })
}

const isBlank = (line: Uint8Array): boolean => line.every((byte) => byte === 0x0a || byte === 0x0d || byte === 0x20)

function isJson(line: Uint8Array): boolean {
  try {
    JSON.parse(Buffer.from(line).toString())
    return true
  } catch {
    return false
  }
}
