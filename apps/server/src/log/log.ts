import { spellOut } from '@polylogue/engine'
import { closeSync, constants, fstatSync, openSync } from 'node:fs'
import { createLineWriter } from './line-writer.ts'
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
export function createLog(asked: AskedLog, redactor: Redactor): Log {
  const level = asked === 'silent' ? 'silent' : levelOf(process.env['POLYLOGUE_LOG'], asked)
  if (level === 'silent') return silentLog
  const fd = openUnblocked(STDERR)
  const writer = createLineWriter(fd, MOST_UNWRITTEN)
  // For a process that ends without `close`, for example after a crash.
  const flush = (): void => writer.flushSync()
  process.on('exit', flush)
  let closed: Promise<void> | undefined
  const write = (importance: Importance) => (fields: LogFields, message: string) => {
    if (closed !== undefined || LEVELS[importance] < LEVELS[level]) return
    writer.write(toLogLine(LEVELS[importance], toLogFields(fields, redactor), spellOut(message)))
  }
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    async close() {
      closed ??= within(CLOSE_MS, writer.drained()).then(() => {
        process.off('exit', flush)
        if (writer.stop().isIdle && fd !== STDERR) closeSync(fd)
      })
      await closed
    },
  }
}

type Importance = Exclude<LogLevel, 'silent'>

/** The numbers of pino and bunyan, which readers of such logs know. */
const LEVELS: { readonly [Name in Importance]: number } = { debug: 20, info: 30, warn: 40, error: 50 }

function toLogLine(level: number, fields: LogFields, message: string): string {
  const head = `{"level":${level},"time":"${new Date().toISOString()}","pid":${process.pid}`
  const own = JSON.stringify(fields).slice(1, -1)
  return `${head}${own === '' ? '' : `,${own}`},"msg":${JSON.stringify(message)}}\n`
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

const LEVEL_NAMES: readonly LogLevel[] = ['silent', 'debug', 'info', 'warn', 'error']

function levelOf(wanted: string | undefined, asked: AskedLog): LogLevel {
  const usual = process.stderr.isTTY ? 'warn' : asked
  return LEVEL_NAMES.find((level) => level === wanted) ?? usual
}

const ignore = (): void => undefined

export const silentLog: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore, close: async () => undefined }
