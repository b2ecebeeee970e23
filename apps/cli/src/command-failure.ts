import { ExitCode } from './exit-code.ts'

/** A verb cannot go on: one sentence for stderr, and the exit code. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
  readonly exitCode: number

  constructor(message: string, exitCode: number = ExitCode.failed, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}
