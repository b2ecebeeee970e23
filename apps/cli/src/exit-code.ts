/** Scripts rely on these numbers. */
export const ExitCode = {
  done: 0,
  failed: 1,
  usage: 2,
  /** The turn waits for an approval or an answer. */
  waiting: 3,
  /** The configuration is wrong or not trusted; as in sysexits.h. */
  config: 78,
  cancelled: 130,
} as const
