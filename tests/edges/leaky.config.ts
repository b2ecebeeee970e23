// An agent whose model and tools fail in every way, with secrets in what they say. For tests of logs and answers.
import { defineAgent, defineConfig, defineTool, z } from 'polylogue'

const leak = defineTool({
  name: 'leak',
  description: 'Throws what it is given, with a path, a query and a key in the error.',
  input: z.object({ secret: z.string() }),
  effect: 'unsafe',
  run: ({ input }) => {
    throw Object.assign(new Error(`cannot open https://me:${input.secret}@db/x?token=${input.secret}`), {
      requestBody: input.secret,
      responseHeaders: { authorization: `Bearer ${input.secret}` },
    })
  },
})

/** Breaks the process, as a bug would: nobody waits for what it does. */
const crash = defineTool({
  name: 'crash',
  description: 'Throws where nobody catches.',
  input: z.object({ secret: z.string(), how: z.enum(['throw', 'reject']) }),
  effect: 'unsafe',
  run: ({ input }) => {
    setImmediate(() => {
      const error = new Error(`bug with ${input.secret} and Bearer ${input.secret}`)
      if (input.how === 'throw') throw error
      void Promise.reject(error)
    })
    return 'crashing'
  },
})

/** A model that does not keep its contract: it throws, and says why. */
const model = {
  async *stream(request: { options: Readonly<Record<string, string>> }) {
    yield { type: 'text', text: 'begun' } as const
    throw new Error(
      `POST https://api.example/v1?key=${request.options['apiKey']} failed: sk-${request.options['apiKey']}`,
    )
  },
}

export default defineConfig({
  agents: [
    defineAgent({
      name: 'leaky',
      instructions: 'Leak.',
      model: 'scripted',
      tools: [leak, crash],
      options: [{ type: 'secret', name: 'apiKey' }],
    }),
    defineAgent({
      name: 'broken',
      instructions: 'Break.',
      model,
      options: [{ type: 'secret', name: 'apiKey' }],
    }),
  ],
  providers: { lab: { baseUrl: 'http://127.0.0.1:1/v1', apiKey: process.env['CANARY_IN_CONFIG'] ?? 'none' } },
})
