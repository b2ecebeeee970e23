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
  const { pino, destination } = await import('pino')
  let isGivenUp = false
  const out = destination({
    dest: openUnblocked(STDERR),
    sync: false,
    maxLength: MOST_UNWRITTEN,
    // Called while the pipe is full. Trying again for ever would keep the process from ending.
    retryEAGAIN: () => !isGivenUp,
  })
  const logger = pino(
    {
      level,
      base: { pid: process.pid },
      serializers: { err: (error: unknown) => error },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
    },
    out,
  )
  // Pino turns `end` into a no-op when the reader is gone, and `close` never comes then.
  const gone = Promise.withResolvers<void>()
  out.on('error', () => gone.resolve())
  const clean = (fields: LogFields) => toLogFields(fields, redactor)
  let closed: Promise<void> | undefined
  const write = (importance: Exclude<LogLevel, 'silent'>) => (fields: LogFields, message: string) => {
    if (closed === undefined && logger.isLevelEnabled(importance)) logger[importance](clean(fields), message)
  }
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    async close() {
      closed ??= within(CLOSE_MS, Promise.race([ended(out), gone.promise]))
      await closed
      isGivenUp = true
      // Otherwise pino would write the rest when the process exits.
      out.destroy()
    },
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

const LEVELS: readonly LogLevel[] = ['silent', 'debug', 'info', 'warn', 'error']

function levelOf(wanted: string | undefined, asked: AskedLog): LogLevel {
  const usual = process.stderr.isTTY ? 'warn' : asked
  return LEVELS.find((level) => level === wanted) ?? usual
}

const ignore = (): void => undefined

export const silentLog: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore, close: async () => undefined }
