import { constants, open } from 'node:fs/promises'
import { CommandFailure } from './command-failure.ts'
import { ExitCode } from './exit-code.ts'

const LARGEST_MB = 256

/** Reads a file that somebody else may have made. Does not wait for the writer of a pipe. Fails with a sentence if it is a device, a pipe, or too large. */
export async function readTextFile(file: string, path: string): Promise<string> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((cause: unknown) => {
    throw new CommandFailure(`${file}: cannot be read.`, ExitCode.usage, { cause })
  })
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) throw new CommandFailure(`${file}: not a file.`, ExitCode.usage)
    if (stats.size > LARGEST_MB * 1024 * 1024) {
      throw new CommandFailure(`${file}: larger than ${LARGEST_MB} MB.`, ExitCode.usage)
    }
    return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}
