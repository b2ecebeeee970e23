// A conversation in the terminal: node chat.mjs http://127.0.0.1:8020 KEY assistant "What is the weather in Oslo?"
import { AapSession, createAapClient, defineClientTool } from '@polylogue/client/aap'
import { z } from 'zod'

const [url, key, agent, text] = process.argv.slice(2)

const weather = defineClientTool({
  name: 'weather',
  description: 'Returns the weather of a city',
  parameters: z.object({ city: z.string() }),
  run: ({ city }) => ({ city, sky: 'clear' }),
})

const client = createAapClient({ baseUrl: `${url}/aap/v3`, key })
const session = await AapSession.create(client, {
  agent: { name: agent, tools: [{ name: 'echo' }] },
  tools: [weather],
  onApproval({ name, input }) {
    console.log(`\n[allowed ${name} ${JSON.stringify(input)}]`)
    return true
  },
  onQuestion: () => 'Whatever you think is best.',
})

// Ctrl+C ends the reading, not the turn: the server goes on with it.
const interrupt = new AbortController()
process.once('SIGINT', () => interrupt.abort())

for await (const event of session.send(text, interrupt.signal)) {
  if (event.event === 'text_delta') process.stdout.write(event.delta)
}
console.log(`\n[${session.stopReason}]`)
