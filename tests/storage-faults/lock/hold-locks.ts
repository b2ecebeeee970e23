import { runProgram } from '../run-program.ts'

/** Another process that holds locks on databases. */
export interface LockHolder {
  /** Releases the locks and ends normally. */
  release(): Promise<void>
  /** kill -STOP: the process keeps the locks but no longer runs. */
  stop(): void
  /** kill -9, which also works on a stopped process. */
  kill(): Promise<void>
}

export async function holdLocks(kind: 'write' | 'read', files: readonly string[]): Promise<LockHolder> {
  const program = runProgram('hold-locks', [kind, ...files])
  const line = await program.nextLine()
  if (line !== 'held') throw new Error(`the lock was not taken: ${program.complaints}`)
  return {
    async release() {
      process.kill(program.pid, 'SIGCONT')
      await program.finish()
    },
    stop: () => void process.kill(program.pid, 'SIGSTOP'),
    kill: () => program.kill(),
  }
}
