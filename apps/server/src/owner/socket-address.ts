import { closeSync, constants, openSync } from 'node:fs'
import { join } from 'node:path'
import { EXIT_CONFIG, ServeError } from '../serve-error.ts'

const SOCKET_NAME = 'polylogue.sock'
/** The kernel's field holds 108 bytes on Linux and 104 elsewhere, the closing zero included. */
const MAX_PATH_BYTES = 100

/** A name for `<data>/polylogue.sock` that the kernel takes. Valid until closed. */
export interface SocketAddress {
  readonly path: string
  close(): void
}

/** A path too long for a socket is reached through an open descriptor of its directory, which Linux shows as a path. */
export function openSocketAddress(dataDir: string): SocketAddress {
  const path = join(dataDir, SOCKET_NAME)
  if (Buffer.byteLength(path) <= MAX_PATH_BYTES) return { path, close: () => undefined }
  if (process.platform !== 'linux') {
    throw new ServeError(`The path ${dataDir} is too long for a socket. Choose a shorter one with --data.`, EXIT_CONFIG)
  }
  let directory: number | undefined = openSync(dataDir, constants.O_RDONLY | constants.O_DIRECTORY)
  return {
    path: `/proc/self/fd/${directory}/${SOCKET_NAME}`,
    close() {
      if (directory !== undefined) closeSync(directory)
      directory = undefined
    },
  }
}
