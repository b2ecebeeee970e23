/** What a verb tells its caller. Scripts rely on these numbers. */
export const ExitCode = {
  done: 0,
  failed: 1,
  usage: 2,
  /** The turn waits for an approval or an answer. */
  waiting: 3,
  cancelled: 130,
} as const
