// A whole door, as a package of its own would bring it: it says back what it is told.
import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import type { UserId } from '@polylogue/engine'
import type { Socket } from 'node:net'
import { requireCaller } from '../../../http/require-caller.ts'
import type { OpenDoor } from '../../door-deps.ts'

export const openEcho: OpenDoor = ({ authenticate }) => {
  const open = new Map<Socket, { readonly userId: UserId; readonly since: number }>()
  let isEnded = false
  return {
    name: 'echo',
    paths: ['/echo'],
    routes() {
      const app = new Hono<{ Bindings: HttpBindings }>()
      app.use('/echo/*', requireCaller(authenticate))
      app.post('/echo/words', async (c) => c.json({ echo: await c.req.text() }))
      app.get('/echo/broken', () => {
        throw new Error('it broke')
      })
      return app
    },
    upgrade: {
      path: '/echo/live',
      protocol: 'echo',
      async upgrade({ incoming, socket, refuse }) {
        const outcome = await authenticate(incoming)
        if (outcome.type === 'refused') return refuse(outcome.status, outcome.error)
        if (isEnded) return refuse(503, 'The echo has ended.')
        open.set(socket, { userId: outcome.caller.userId, since: Date.now() })
        socket.on('close', () => open.delete(socket))
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n')
        socket.on('data', (bytes) => socket.write(bytes))
      },
    },
    direct: { path: '/echo-direct/', handle: (incoming, outgoing) => void outgoing.end(`direct ${incoming.url}`) },
    pipe: {
      async open(handshake, connect) {
        const { input, output } = connect()
        void echo(handshake, input, output)
      },
      isBusy: () => false,
    },
    refuse: ({ status, message }) => ({ echoed: false, because: `${status} ${message}` }),
    clients: () => [...open.values()].map(({ userId, since }) => ({ userId, since })),
    present: () => ({ recorded: async ({ event }) => [{ name: 'echo', body: event.type }], settle: () => [] }),
    async end() {
      isEnded = true
      for (const socket of open.keys()) socket.end('ended')
    },
    async close() {
      for (const socket of open.keys()) socket.destroy()
    },
  }
}

async function echo(
  handshake: string,
  input: ReadableStream<Uint8Array>,
  output: WritableStream<Uint8Array>,
): Promise<void> {
  const writer = output.getWriter()
  await writer.write(Buffer.from(`${handshake}:`))
  for await (const chunk of input) await writer.write(chunk)
  await writer.close()
}
