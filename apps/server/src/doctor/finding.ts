/** One line of a diagnosis: the check, its result, and what to do about it. */
export interface Finding {
  readonly check: string
  readonly status: 'ok' | 'warn' | 'fail'
  readonly message: string
  /** What to do next, if anything. */
  readonly remedy?: string
}

export const ok = (check: string, message: string): Finding => ({ check, status: 'ok', message })

export const warn = (check: string, message: string, remedy: string): Finding => ({
  check,
  status: 'warn',
  message,
  remedy,
})

export const fail = (check: string, message: string, remedy: string): Finding => ({
  check,
  status: 'fail',
  message,
  remedy,
})

export const RESTORE = 'Stop the server, keep a copy of the data directory, and restore a backup: docs/operations.md.'
