import { once } from 'node:events'
import { chmodSync, rmSync } from 'node:fs'
import type { Server } from 'node:http'
import { openSocketAddress } from './socket-address.ts'

/**
 * Listens at the address of the data directory's owner. Only for the holder of the owner lock, because it removes an existing socket as
 * one of a dead owner. Call the returned function after closing the server.
 */
export async function listenOnOwnerSocket(server: Server, dataDir: string): Promise<() => void> {
  const address = openSocketAddress(dataDir)
  try {
    if (address.isFile) rmSync(address.path, { force: true })
    server.listen(address.path)
    await once(server, 'listening')
    // A named pipe of Windows can be written to by its user only.
    if (address.isFile) chmodSync(address.path, 0o600)
  } catch (error) {
    address.close()
    throw error
  }
  // Closing the server removes the socket by this path, so the path must stay valid until then.
  return () => address.close()
}
