// Watches a session for `large-result.ts`: half of the watchers are lean, and all only count what they get.
import { io } from 'socket.io-client'

interface Order {
  readonly url: string
  readonly key: string
  readonly sessionId: string
  readonly watchers: number
  readonly bytes: number
}

process.once('message', (order) => void watch(order as Order))
process.on('disconnect', () => process.exit())

async function watch({ url, key, sessionId, watchers, bytes }: Order): Promise<void> {
  const ends = Array.from({ length: watchers }, () => Promise.withResolvers<boolean>())
  for (const [index, { resolve }] of ends.entries()) {
    const auth = { token: key, ...(index % 2 === 0 && { lean: true }) }
    const socket = io(url, { auth, transports: ['websocket'], forceNew: true })
    let hasResult = false
    socket.on('turn:patch', ({ patch_type, data }: { patch_type: string; data: { result?: string } }) => {
      if (patch_type === 'tool_result') hasResult = data.result?.length === bytes
    })
    socket.on('chat:end', () => resolve(hasResult))
    socket.on('disconnect', () => resolve(false))
    await new Promise<void>((connected) => socket.once('connect', connected))
    await socket.emitWithAck('session:subscribe', { session_id: sessionId })
  }
  process.send?.('ready')
  const whole = await Promise.all(ends.map(({ promise }) => promise))
  process.send?.(whole.filter(Boolean).length)
}
