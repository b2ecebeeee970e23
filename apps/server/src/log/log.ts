import { constants, fstatSync, openSync } from 'node:fs'
import { toLogFields, type LogFields } from './log-fields.ts'
import { within } from '../within.ts'
import type { Redactor } from './redactor.ts'

/** The server's log for operators. Contains no keys, headers, bodies or queries. */
export interface Log {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
  /** Resolves when everything is written, or cannot be. Later entries are lost. For the end of the process. */
  close(): Promise<void>
}

export type LogLevel = 'silent' | 'debug' | 'info' | 'warn' | 'error'

export type AskedLog = 'silent' | 'warn' | 'info'

/** If the reader of the log is stuck, lines are dropped. Memory stays bounded and the server continues. */
const MOST_UNWRITTEN = 4 * 1024 * 1024
/** How long the end of the process waits for a reader that is stuck. */
const CLOSE_MS = 1_000

/**
 * Writes JSON lines to stderr. `POLYLOGUE_LOG` sets the level, unless `silent` is asked for. Default: what is asked for,
 * and `warn` at a terminal.
 */
export async function createLog(asked: AskedLog, redactor: Redactor): Promise<Log> {
  const level = asked === 'silent' ? 'silent' : levelOf(process.env['POLYLOGUE_LOG'], asked)
  if (level === 'silent') return silentLog
  // Loaded on demand, so that verbs without a log start quickly.
  const { SonicBoom } = (await import('sonic-boom')).default
  let isGivenUp = false
  let isGone = false
  const out = new SonicBoom({
    fd: openUnblocked(STDERR),
    sync: false,
    maxLength: MOST_UNWRITTEN,
    // Called while the pipe is full. Trying again for ever would keep the process from ending.
    retryEAGAIN: () => !isGivenUp,
  })
  const failed = Promise.withResolvers<void>()
  out.on('error', (error: unknown) => {
    isGone ||= error instanceof Error && 'code' in error && error.code === 'EPIPE'
    failed.resolve()
  })
  const flush = (): void => {
    if (!isGone) flushAtExit(out)
  }
  process.on('exit', flush)
  let closed: Promise<void> | undefined
  const write = (importance: Importance) => (fields: LogFields, message: string) => {
    if (closed !== undefined || isGone || LEVELS[importance] < LEVELS[level]) return
    out.write(toLogLine(LEVELS[importance], toLogFields(fields, redactor), message))
  }
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    async close() {
      closed ??= isGone ? Promise.resolve() : within(CLOSE_MS, Promise.race([ended(out), failed.promise]))
      await closed
      isGivenUp = true
      process.off('exit', flush)
      out.destroy()
    },
  }
}

type Importance = Exclude<LogLevel, 'silent'>

/** The numbers in the lines, which readers of such logs know from pino and bunyan. */
const LEVELS: { readonly [Name in Importance]: number } = { debug: 20, info: 30, warn: 40, error: 50 }

function toLogLine(level: number, fields: LogFields, message: string): string {
  const head = `{"level":${level},"time":"${new Date().toISOString()}","pid":${process.pid}`
  const own = JSON.stringify(fields).slice(1, -1)
  return `${head}${own === '' ? '' : `,${own}`},"msg":${JSON.stringify(message)}}\n`
}

/** Writes what is left when the process exits without `close`, for example after a crash. */
function flushAtExit(out: { flushSync(): void }): void {
  try {
    out.flushSync()
  } catch (error) {
    // The reader is gone or stuck, so nobody can be told.
    if (!(error instanceof Error)) throw error
  }
}

const STDERR = 2

/**
 * A write to a full pipe that nobody reads blocks a thread, and Node waits for its threads when it exits. The same pipe, opened
 * again, does not block. Where that is not possible, it is not a pipe or not Linux.
 */
function openUnblocked(fd: number): number {
  try {
    return fstatSync(fd).isFIFO() ? openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK) : fd
  } catch (error) {
    if (error instanceof Error && 'code' in error) return fd
    throw error
  }
}

function ended(out: { end(): void; once(event: 'close', listener: () => void): unknown }): Promise<void> {
  const closed = new Promise<void>((resolve) => void out.once('close', resolve))
  out.end()
  return closed
}

const LEVEL_NAMES: readonly LogLevel[] = ['silent', 'debug', 'info', 'warn', 'error']

function levelOf(wanted: string | undefined, asked: AskedLog): LogLevel {
  const usual = process.stderr.isTTY ? 'warn' : asked
  return LEVEL_NAMES.find((level) => level === wanted) ?? usual
}

const ignore = (): void => undefined

export const silentLog: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore, close: async () => undefined }
