/** What the server says about itself, for its operator. Never a key, a header, a body or a query. */
export interface Log {
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
}

export type LogFields = { readonly [name: string]: unknown }

/** JSON lines on stderr; stdout belongs to whoever started us. */
export async function createLog(level: 'silent' | 'info'): Promise<Log> {
  if (level === 'silent') return silentLog
  // Loaded only when something will be written: the verbs that run alone stay quick to start.
  const { pino, destination } = await import('pino')
  const logger = pino({ level, base: { pid: process.pid } }, destination({ dest: 2, sync: true }))
  return {
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
  }
}

export const silentLog: Log = { info: () => undefined, warn: () => undefined, error: () => undefined }
