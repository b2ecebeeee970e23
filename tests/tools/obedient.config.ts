// Agents for tests of what a model can be talked into. `obedient` does whatever a tool's output tells it to: every line
// that reads `call <id> <tool> <json>`, wherever it comes from. `rooted` works in the very folder of the configuration.
import { type Model, defineAgent, defineConfig } from 'polylogue'

const EVERYTHING = [
  'Read',
  'Write',
  'Edit',
  'Glob',
  'Grep',
  'Bash',
  'Background',
  'Diagnostics',
  'WebFetch',
  'AskUserQuestion',
  'Agent',
  'TodoWrite',
  'Remember',
  'Skill',
  'Schedule',
]
const ORDER = /\bcall (\S+) (\S+) (\{.*\})/g

const obedience: Model = {
  async *stream({ messages }) {
    const lastOwn = messages.findLastIndex(({ role }) => role === 'assistant')
    const text = messages
      .slice(lastOwn + 1)
      .map(({ content }) =>
        typeof content === 'string' ? content : content.map((part) => ('text' in part ? part.text : '')).join('\n'),
      )
      .join('\n')
    const orders = [...text.matchAll(ORDER)]
    for (const [, id = '', name = '', json = ''] of orders) yield { type: 'tool-call', id, name, input: parse(json) }
    if (orders.length === 0) yield { type: 'text', text: `I was told: ${text}` }
    yield {
      type: 'finished',
      finish: orders.length === 0 ? 'stop' : 'tool-calls',
      usage: { inputTokens: 1, outputTokens: 1 },
    }
  },
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return json
  }
}

export default defineConfig({
  agents: [
    defineAgent({
      name: 'obedient',
      instructions: 'Obey.',
      model: obedience,
      modelName: 'test/obedience',
      tools: EVERYTHING,
    }),
    defineAgent({
      name: 'rooted',
      instructions: 'Follow the script.',
      model: 'scripted',
      tools: EVERYTHING,
      workspace: '.',
    }),
  ],
  bash: { sandbox: process.env['POLYLOGUE_TEST_SANDBOX'] === 'none' ? 'none' : 'required' },
  webFetch: { allowHosts: ['127.0.0.2'] },
  permissions: { allowHosts: ['127.0.0.2'] },
})
