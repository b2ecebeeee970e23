import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A TCP proxy at one address, in front of a server that may move, whose connections can be cut. */
export interface CutProxy {
  readonly url: string
  /** How many connections were made through it. */
  readonly connections: number
  target: string
  /** Ends every open connection, in both directions. */
  cut(): void
  /** Ends every connection after this many more bytes to clients. */
  cutAfter(bytes: number): void
  /** How many bytes have gone to clients. */
  readonly passed: number
  /** While `true`, connections are refused. */
  isClosed: boolean
  stop(): Promise<void>
}

export async function startCutProxy(target: string): Promise<CutProxy> {
  const open = new Set<Socket>()
  const state = { target, isClosed: false, connections: 0, passed: 0, cutAt: Infinity }
  const server = createServer((near) => {
    near.on('error', () => near.destroy())
    if (state.isClosed) return void near.destroy()
    state.connections += 1
    const { hostname, port } = new URL(state.target)
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
      const left = state.cutAt - state.passed
      state.passed += Math.min(left, bytes.length)
      if (bytes.length < left) return void near.write(bytes)
      state.cutAt = Infinity
      near.write(bytes.subarray(0, left), cut)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const cut = (): void => {
    for (const socket of open) socket.destroy()
  }
  return {
    get passed() {
      return state.passed
    },
    cutAfter(bytes) {
      state.cutAt = state.passed + bytes
    },
    url: `http://127.0.0.1:${port}`,
    get connections() {
      return state.connections
    },
    get target() {
      return state.target
    },
    set target(next) {
      state.target = next
    },
    get isClosed() {
      return state.isClosed
    },
    set isClosed(next) {
      state.isClosed = next
    },
    cut,
    async stop() {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
