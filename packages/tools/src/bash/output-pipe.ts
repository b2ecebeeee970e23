// A pipe with a name, for the moment that it takes to open both of its ends. Node's own stdio pipes are sockets: two of
// them lose the order of what is written, and `> /dev/stderr` fails on them.
import { closeSync, constants, openSync, rmSync } from 'node:fs'
import { Socket } from 'node:net'
import { makePipe } from './spawn-command.ts'

export interface OutputPipe {
  readonly reader: Socket
  /** To be given to the command, then closed here. */
  readonly writerFd: number
}

export async function openOutputPipe(path: string): Promise<OutputPipe> {
  await makePipe(path)
  try {
    // Opening an end of a pipe waits for the other one, unless told not to; the second does not wait any more.
    const readerFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const writerFd = openSync(path, constants.O_WRONLY)
      return { reader: new Socket({ fd: readerFd, readable: true, writable: false }), writerFd }
    } catch (error) {
      closeSync(readerFd)
      throw error
    }
  } finally {
    rmSync(path, { force: true })
  }
}
