import { closeSync, constants, openSync } from 'node:fs'
import { basename } from 'node:path'
import { ownerAddressOf, type OwnerAddress } from '../platform/host.ts'
import { EXIT_CONFIG, ServeError } from '../serve-error.ts'

/** The kernel allows 108 bytes on Linux and 104 elsewhere, including the final zero. */
const MAX_PATH_BYTES = 100

/** An address of the owner of a data directory that is short enough for the kernel. Valid until closed. */
export interface SocketAddress extends OwnerAddress {
  close(): void
}

/** For a long path, opens the directory and uses the path of its descriptor in /proc, which Linux offers. */
export function openSocketAddress(dataDir: string): SocketAddress {
  const { path, isFile } = ownerAddressOf(dataDir)
  if (!isFile || Buffer.byteLength(path) <= MAX_PATH_BYTES) return { path, isFile, close: () => undefined }
  if (process.platform !== 'linux') {
    throw new ServeError(`The path ${dataDir} is too long for a socket. Choose a shorter one with --data.`, EXIT_CONFIG)
  }
  let directory: number | undefined = openSync(dataDir, constants.O_RDONLY | constants.O_DIRECTORY)
  return {
    path: `/proc/self/fd/${directory}/${basename(path)}`,
    isFile,
    close() {
      if (directory !== undefined) closeSync(directory)
      directory = undefined
    },
  }
}
