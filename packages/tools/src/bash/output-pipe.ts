// A named pipe that exists only until both of its ends are open. Node's own stdio pipes are sockets: two sockets lose
// the order of output and errors, and `> /dev/stderr` fails on a socket.
import { closeSync, constants, openSync, rmSync } from 'node:fs'
import { Socket } from 'node:net'
import { makePipe } from './spawn-command.ts'

export interface OutputPipe {
  readonly reader: Socket
  /** Pass it to the command, then close it in this process. */
  readonly writerFd: number
}

export async function openOutputPipe(path: string): Promise<OutputPipe> {
  await makePipe(path)
  try {
    // Opening one end of a pipe blocks until the other is open, so the first is opened without blocking.
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
