import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A TCP proxy that changes what the server sends: every occurrence of a text becomes another of the same length. */
export interface FaultProxy {
  readonly url: string
  /** How often the text was changed. */
  readonly changed: number
  stop(): Promise<void>
}

export async function startFaultProxy(
  target: string,
  fault: { readonly find: string; readonly put: string },
): Promise<FaultProxy> {
  const [find, put] = [Buffer.from(fault.find), Buffer.from(fault.put)]
  if (find.length !== put.length) throw new Error('frames have lengths: a fault must not change them')
  const open = new Set<Socket>()
  let changed = 0
  const server = createServer((near) => {
    const { hostname, port } = new URL(target)
    const far = connect(Number(port), hostname)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        open.delete(socket)
        other.destroy()
      })
    }
    near.pipe(far)
    far.on('data', (bytes: Buffer) => {
      for (let at = bytes.indexOf(find); at !== -1; at = bytes.indexOf(find, at + find.length)) {
        put.copy(bytes, at)
        changed += 1
      }
      near.write(bytes)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get changed() {
      return changed
    },
    async stop() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
