import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createFakeClock } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { findProvider } from '../providers/find-provider.ts'
import { createWindow } from './window.ts'

/** An Ollama that has one model loaded. */
async function startOllama(loaded: object) {
  const asked = Promise.withResolvers<string | undefined>()
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ models: [loaded] }), () => asked.resolve(request.url))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  return {
    asked: asked.promise,
    provider: findProvider('ollama', {}, { OLLAMA_HOST: `127.0.0.1:${port}` }),
    stop: () => new Promise((resolve) => server.close(resolve)),
  }
}

describe('the window of a model', () => {
  it('of an Ollama is what the server gives it, known after an answer', async () => {
    const ollama = await startOllama({ name: 'llama3.2:latest', context_length: 4096 })
    const window = createWindow(ollama.provider, 'llama3.2', { clock: createFakeClock(), fetch: globalThis.fetch })
    expect(window.tokens()).toBeUndefined()
    window.learn()
    expect(await ollama.asked).toBe('/api/ps')
    await expect.poll(() => window.tokens()).toBe(4096)
    await ollama.stop()
  })

  it('is not asked for anywhere else', () => {
    const provider = findProvider('anthropic', {}, {})
    const fetch = () => Promise.reject(new Error('nobody is asked'))
    const window = createWindow(provider, 'claude-sonnet-5-5', { clock: createFakeClock(), fetch })
    window.learn()
    expect(window.tokens()).toBe(1_000_000)
  })
})
