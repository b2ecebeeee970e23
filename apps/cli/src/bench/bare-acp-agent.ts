// The bare limit: the SDK's own agent app on stdio, which only sends the requested text.
import { Readable, Writable } from 'node:stream'
import { agent, ndJsonStream } from '@agentclientprotocol/sdk'

const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const output = Writable.toWeb(process.stdout)
const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>

agent({ name: 'bare' })
  .onRequest('initialize', () => ({ protocolVersion: 1, agentCapabilities: {}, authMethods: [] }))
  .onRequest('session/new', () => ({ sessionId: 'bare' }))
  .onRequest('session/prompt', async ({ params: { sessionId, prompt }, client }) => {
    const [block] = prompt
    const count = Number(/tokens (\d+)/.exec(block?.type === 'text' ? block.text : '')?.[1])
    for (let index = 0; index < count; index++) {
      const update = { sessionUpdate: 'agent_message_chunk' as const, content: { type: 'text' as const, text: 'x ' } }
      void client.notify('session/update', { sessionId, update })
      await nextTick()
    }
    return { stopReason: 'end_turn' as const }
  })
  .connect(ndJsonStream(output, input))
