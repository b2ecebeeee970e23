import { connect, createServer, type AddressInfo } from 'node:net'

/** Passes connections on to a port, and cuts one of them after a number of bytes. */
export interface CuttingProxy {
  readonly port: number
  /** Cuts the connection that is open after this many more bytes to its client; once. */
  cutAfter(bytes: number): void
  /** Bytes to clients so far. */
  readonly passed: number
  readonly isCut: boolean
  close(): Promise<void>
}

export async function openCuttingProxy(target: number): Promise<CuttingProxy> {
  const state = { passed: 0, left: Infinity, isCut: false }
  const server = createServer((client) => {
    const onward = connect(target, '127.0.0.1')
    client.on('error', () => onward.destroy())
    client.on('close', () => onward.destroy())
    onward.on('error', () => client.destroy())
    onward.on('close', () => client.destroy())
    client.pipe(onward)
    onward.on('data', (chunk: Buffer) => {
      const part = chunk.subarray(0, state.left)
      state.passed += part.length
      client.write(part)
      if (part.length === state.left) {
        state.left = Infinity
        state.isCut = true
        // Written bytes are sent before the connection ends, as on a network.
        client.end(() => client.destroy())
        onward.destroy()
      } else state.left -= part.length
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    cutAfter: (bytes) => void (state.left = bytes),
    get passed() {
      return state.passed
    },
    get isCut() {
      return state.isCut
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
