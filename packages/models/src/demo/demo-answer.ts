// What the demo model says. All of it must stay true: a newcomer takes it for the documentation.
import { type JsonObject, type ModelMessage, type ModelRequest, textOf } from '@polylogue/engine'

export interface DemoAnswer {
  readonly thinking: string
  readonly text: string
  readonly call?: { readonly tool: string; readonly input: JsonObject }
}

const LONGEST_QUOTE = 300

const TOPICS: readonly { readonly words: RegExp; readonly answer: (request: ModelRequest) => DemoAnswer }[] = [
  { words: /\b(help|guide|try|what can)\b|帮助/i, answer: () => help },
  { words: /\b(tools?|functions?)\b|工具/i, answer: aboutTools },
  { words: /\b(models?|providers?|api ?keys?|ai|llm)\b|模型/i, answer: () => aboutModels },
  { words: /\b(hello|hi|hey|good (morning|evening)|who are you)\b|你好/i, answer: () => greeting },
]

export function answerOf(request: ModelRequest): DemoAnswer {
  const newest = request.messages.at(-1)
  if (request.purpose === 'summary') return summaryOf(request.messages)
  if (newest?.role === 'tool') return afterTools(request.messages)
  const text = lastUserText(request.messages).trim()
  const wanted = /^use\s+(\S+)\s*(.*)$/is.exec(text)
  if (wanted) return useTool(request, wanted[1] ?? '', wanted[2] ?? '')
  return TOPICS.find(({ words }) => words.test(text))?.answer(request) ?? fallback(text)
}

const greeting: DemoAnswer = {
  thinking: 'Somebody says hello. I introduce myself and say plainly what I am.',
  text: [
    'Hello, and welcome to Polylogue: one agent, every protocol.',
    '',
    'I am the built-in offline demo. There is no AI behind me: I know a few words and answer with prepared texts. ' +
      'Everything around me is real: this answer is streamed, and your message was on disk before I saw it.',
    '',
    'Write `help` to see what you can try.',
  ].join('\n'),
}

const help: DemoAnswer = {
  thinking: 'A guide is wanted. I list what works without any key or network.',
  text: [
    'Things to try, all of them offline:',
    '',
    '1. `tools` lists the tools I was given, and `use <tool> <json>` makes me call one. A tool that your client ' +
      'declares itself is called in the same way: I call it, your client runs it and sends the result back.',
    '2. Start the server with `--scripted` and choose the agent `scripted`. It does what a message tells it to, line ' +
      'by line: `think Let me see`, `say Hello there`, `call c1 echo {"msg":"hi"}`.',
    '3. Paste the curl lines that the server printed when it started.',
    '4. Kill the server in the middle of an answer and start it again: the session is still there.',
    '5. `model` says how to get a real answer.',
  ].join('\n'),
}

const aboutModels: DemoAnswer = {
  thinking: 'The question is about models. I must not promise one that is not there.',
  text: [
    'You are talking to the model `demo`, which is a short program and no AI.',
    '',
    'In `polylogue.config.ts` an agent names its model: `demo`, `scripted`, or an object of your own with a method ' +
      '`stream(request, signal)`. `examples/own-agent` shows an agent that you can copy.',
  ].join('\n'),
}

function aboutTools({ tools }: ModelRequest): DemoAnswer {
  const thinking = `The question is about tools. I was given ${tools.length}.`
  if (tools.length === 0) {
    return {
      thinking,
      text:
        'I was given no tools in this session. A client can enable tools of the agent or declare its own; ' +
        '`defineTool` in `polylogue.config.ts` makes one that runs in the server.',
    }
  }
  const list = tools.map(({ name, description }) => `- \`${name}\`: ${description}`)
  return { thinking, text: ['I was given these tools:', '', ...list, '', 'Write `use <tool> <json>`.'].join('\n') }
}

function useTool({ tools }: ModelRequest, tool: string, json: string): DemoAnswer {
  const thinking = `I am asked to use ${tool}.`
  if (!tools.some(({ name }) => name === tool)) {
    return { thinking, text: `I was given no tool named \`${tool}\`. Write \`tools\` to see which there are.` }
  }
  const input = parseObject(json)
  if (!input) return { thinking, text: `The input must be a JSON object: \`use ${tool} {"name": "value"}\`.` }
  return { thinking, text: `I call \`${tool}\`.`, call: { tool, input } }
}

function afterTools(messages: readonly ModelMessage[]): DemoAnswer {
  const first = messages.findLastIndex(({ role }) => role !== 'tool') + 1
  const results = messages.slice(first).map((message) => {
    const name = message.role === 'tool' ? message.name : ''
    return `\`${name}\` answered: ${quote(textOf(message.content))}`
  })
  return { thinking: 'The result has come back. I show it.', text: results.join('\n') }
}

function fallback(text: string): DemoAnswer {
  return {
    thinking: 'I do not know these words, and I will not pretend that I do.',
    text:
      `You wrote ${text.length} characters. I am the offline demo and no AI, so I cannot answer that. ` +
      'Write `help` to see what you can try, or `model` to learn how to get a real answer.',
  }
}

function summaryOf(messages: readonly ModelMessage[]): DemoAnswer {
  const asked = messages.filter(({ role }) => role === 'user').map(({ content }) => quote(textOf(content), 80))
  return { thinking: '', text: `${messages.length} messages. The user wrote: ${asked.join(' / ')}` }
}

function lastUserText(messages: readonly ModelMessage[]): string {
  return textOf(messages.findLast(({ role }) => role === 'user')?.content ?? '')
}

function quote(text: string, longest = LONGEST_QUOTE): string {
  return text.length <= longest ? text : `${text.slice(0, longest).replace(/[\uD800-\uDBFF]$/, '')}…`
}

function parseObject(json: string): JsonObject | undefined {
  if (json.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(json)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
