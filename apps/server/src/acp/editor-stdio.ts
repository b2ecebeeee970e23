import { createWriteStream, fstatSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { createLineCutter } from './line-cutter.ts'

/** The editor's end: frames come in by stdin and leave by stdout, and nothing else ever does. */
export interface EditorStdio {
  /** Begins to read. */
  listen(listener: EditorListener): void
  /** What the editor sends stays in its own hands until `resume`. */
  pause(): void
  resume(): void
  write(bytes: Uint8Array): void
  /** Resolves when the editor has taken most of what was written. */
  drained(): Promise<void>
  /** Resolves when everything is written, or nobody is there to read it. */
  flush(): Promise<void>
}

export interface EditorListener {
  line(line: Uint8Array): void
  /** Once: it has closed its end, does not read any more, or sent a line that is too long. */
  left(reason: string | undefined): void
}

/** As long as a frame may be. */
const MAX_LINE_BYTES = 32 * 1024 * 1024
const LINE_END = Buffer.from('\n')

/**
 * Takes stdin and stdout for the protocol. From here on whatever a dependency or a tool prints goes to stderr: one
 * stray line would be a broken frame.
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
      const lines = createLineCutter()
      process.stdin.on('data', (chunk: Buffer) => {
        if (hasLeft) return
        for (const complete of lines.push(chunk)) if (!isBlank(complete)) line(complete)
        if (lines.pendingBytes > MAX_LINE_BYTES) leave(`A line is longer than ${MAX_LINE_BYTES} bytes.`)
      })
      process.stdin.on('end', () => {
        const last = lines.end()
        if (!hasLeft && last !== undefined && isJson(last)) line(Buffer.concat([last, LINE_END]))
        leave()
      })
      process.stdin.on('error', () => leave())
      // EPIPE, or what a socket says in its place: the editor is gone, and its stdin will end too.
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
 * Node writes to a pipe on stdout synchronously: an editor that does not read would stop all that this process does,
 * for other editors too. A stream of our own does not wait.
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
