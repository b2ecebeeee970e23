import { createHash } from 'node:crypto'
import {
  type ModelMessage,
  type ModelOutput,
  type ModelRequest,
  type UserContent,
  asToolCallId,
} from '@polylogue/engine'
import { createFakeClock } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { createScriptedModel } from './scripted-model.ts'

const never = new AbortController().signal

function requestFor(script: UserContent, more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: '',
    messages: [{ role: 'user', content: script }],
    tools: [],
    options: {},
    secretOptions: [],
    step: 0,
    purpose: 'answer',
    readBlob: () => Promise.reject(new Error('no blobs here')),
    ...more,
  }
}

async function play(request: ModelRequest, signal: AbortSignal = never): Promise<ModelOutput[]> {
  return Array.fromAsync(createScriptedModel({ clock: createFakeClock() }).stream(request, signal))
}

async function playScript(script: string, more: Partial<ModelRequest> = {}): Promise<ModelOutput[]> {
  return play(requestFor(script, more))
}

/** Deltas as `kind:text`, calls as `call:id`, the last output as what it says. */
function brief(outputs: readonly ModelOutput[]): string[] {
  return outputs.map((output) => {
    switch (output.type) {
      case 'text':
      case 'thinking':
        return `${output.type}:${output.text}`
      case 'tool-call':
        return `call:${output.id} ${output.name} ${JSON.stringify(output.input)}`
      case 'finished':
        return `finished:${output.finish}`
      case 'failed':
        return `failed:${output.error.code}`
      case 'opaque':
      case 'tool-input':
      case 'retry':
        return output.type
    }
  })
}

function textOf(outputs: readonly ModelOutput[], kind: 'text' | 'thinking' = 'text'): string {
  return outputs.flatMap((output) => (output.type === kind ? [output.text] : [])).join('')
}

function result(name: string, content: string): ModelMessage {
  return { role: 'tool', toolCallId: asToolCallId(`id_${name}`), name, content, isError: false }
}

describe('speaking', () => {
  it('says a text word by word, each with the space after it', async () => {
    expect(brief(await playScript('say Hello  big world'))).toEqual([
      'text:Hello  ',
      'text:big ',
      'text:world',
      'finished:stop',
    ])
  })

  it('says a line that is not a directive verbatim', async () => {
    expect(textOf(await playScript('  Hello, who are you? '))).toBe('  Hello, who are you? ')
  })

  it('thinks before it speaks', async () => {
    expect(brief(await playScript('think one two\nsay three'))).toEqual([
      'thinking:one ',
      'thinking:two',
      'text:three',
      'finished:stop',
    ])
  })

  it('joins the lines of one block by a line break that travels with the word before it', async () => {
    expect(brief(await playScript('say a b\nplain c\nsay d'))).toEqual([
      'text:a ',
      'text:b\n',
      'text:plain ',
      'text:c\n',
      'text:d',
      'finished:stop',
    ])
    expect(textOf(await playScript('think a\nthink b\nsay c'), 'thinking')).toBe('a\nb')
  })

  it('keeps empty lines between two lines of one block, and no others', async () => {
    expect(textOf(await playScript('\n\nsay a\n\n\nsay b\n\nthink c\n\nsay d\n\n'))).toBe('a\n\n\nbd')
  })

  it('lets a block continue after a directive that says nothing', async () => {
    expect(textOf(await playScript('say a\nstop end_turn\n\nsay b'))).toBe('a\n\nb')
  })

  it('begins a new block after a call, without a line break', async () => {
    expect(textOf(await playScript('say a\ncall c1 echo {}\nsay b'))).toBe('ab')
  })

  it('does not change line separators, emoji and quotes', async () => {
    const text = 'say it\u2028is "so" 👩‍💻 fine\u0000'
    expect(textOf(await playScript(text))).toBe(text.slice(4))
  })

  it('reads scripts with Windows line ends', async () => {
    expect(textOf(await playScript('say a\r\nsay b\r\n'))).toBe('a\nb')
  })

  it('joins the text parts of the last user message by line breaks and passes over images', async () => {
    const parts = [
      { type: 'text', text: 'say a' },
      { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } },
      { type: 'text', text: 'say b' },
    ] as const
    expect(textOf(await play(requestFor(parts)))).toBe('a\nb')
  })

  it('says nothing and finishes when there is no user message', async () => {
    expect(brief(await playScript('', { messages: [] }))).toEqual(['finished:stop'])
  })

  it('yields regularly within a long text', async () => {
    let ways = 0
    const model = createScriptedModel({ clock: createFakeClock(), giveWay: async () => void ways++ })
    await Array.fromAsync(model.stream(requestFor(`say ${'word '.repeat(640)}`), never))
    expect(ways).toBe(10)
  })
})

describe('calling tools', () => {
  it('makes calls with parsed input and finishes with tool calls', async () => {
    expect(brief(await playScript('say see\ncall c1 echo {"msg": "a b"}\ncall c2 boom'))).toEqual([
      'text:see',
      'call:c1 echo {"msg":"a b"}',
      'call:c2 boom {}',
      'finished:tool-calls',
    ])
  })

  it('passes broken JSON on as the text it is', async () => {
    expect(brief(await playScript('call c1 echo {"msg": '))).toEqual([
      'call:c1 echo "{\\"msg\\":"',
      'finished:tool-calls',
    ])
  })

  it('says a call without a tool as a line', async () => {
    expect(textOf(await playScript('call me'))).toBe('call me')
  })

  it('chooses the section of the script by the step', async () => {
    const script = 'say one\n---\nsay two\n---\n\nsay three\n'
    expect(textOf(await playScript(script, { step: 0 }))).toBe('one')
    expect(textOf(await playScript(script, { step: 1 }))).toBe('two')
    expect(textOf(await playScript(script, { step: 2 }))).toBe('three')
    expect(brief(await playScript(script, { step: 3 }))).toEqual(['finished:stop'])
  })

  it('answers with the newest results when the script has no section for the step', async () => {
    const messages: ModelMessage[] = [
      { role: 'user', content: 'say old' },
      result('echo', 'older'),
      { role: 'user', content: 'call c1 echo {"msg":"a"}' },
      { role: 'assistant', content: [] },
      result('echo', 'first one'),
      { ...result('slow', ''), content: [{ type: 'text', text: 'second' }] } as ModelMessage,
    ]
    expect(textOf(await playScript('', { messages, step: 1 }))).toBe('RESULTS 2: first one|second')
  })

  it('prefers the section of the step to the results', async () => {
    const messages: ModelMessage[] = [{ role: 'user', content: 'call c1 echo {}\n---\nsay done' }, result('echo', 'a')]
    expect(textOf(await playScript('', { messages, step: 1 }))).toBe('done')
  })
})

describe('the end of a step', () => {
  it.each([
    ['end_turn', 'stop'],
    ['max_tokens', 'token-limit'],
    ['refusal', 'refused'],
  ])('stop %s finishes with %s, also when there are calls', async (word, finish) => {
    expect(brief(await playScript(`say a\nstop ${word}`)).at(-1)).toBe(`finished:${finish}`)
    expect(brief(await playScript(`stop ${word}\ncall c1 echo {}`)).at(-1)).toBe(`finished:${finish}`)
  })

  it('says a stop for no known reason as a line', async () => {
    expect(brief(await playScript('stop there'))).toEqual(['text:stop ', 'text:there', 'finished:stop'])
  })

  it('fails where the script says so', async () => {
    expect(brief(await playScript('say a\nfail\nsay b'))).toEqual(['text:a', 'failed:model-error'])
  })

  it('ends without a finish after nostop', async () => {
    expect(brief(await playScript('say a\nnostop'))).toEqual(['text:a'])
  })

  it('says directives with words after them that do not belong there as lines', async () => {
    const script = 'fail me not\nnostop here\noverflow it\nsleep well\ntokens of love\nshow me'
    expect(textOf(await playScript(script))).toBe(script)
  })

  it('counts a token for each delta and each call, and a quarter of one for each character it was given', async () => {
    const outputs = await playScript('think a b\ncall c1 echo {}\ntokens 2', { system: '1234' })
    expect(outputs.at(-1)).toEqual({
      type: 'finished',
      finish: 'tool-calls',
      usage: { inputTokens: Math.ceil((4 + 35) / 4), outputTokens: 5 },
    })
  })
})

describe('an overflow', () => {
  const user: ModelMessage = { role: 'user', content: 'overflow\nsay Summary of 1 messages.' }

  it('fails on the first attempt as a context that is too long', async () => {
    const messages: ModelMessage[] = [{ role: 'user', content: 'say a' }, { role: 'assistant', content: 'a' }, user]
    expect(brief(await playScript('', { messages }))).toEqual(['failed:context-too-long'])
    expect(brief(await playScript('', { messages }))).toEqual(['failed:context-too-long'])
  })

  it('lets the script continue once a summary stands before it', async () => {
    const messages: ModelMessage[] = [{ role: 'user', content: 'Summary of 2 messages.' }, user]
    expect(textOf(await playScript('', { messages }))).toBe('Summary of 1 messages.')
    const system = 'Be kind.\n\nSummary of 2 messages.'
    expect(textOf(await playScript('', { messages: [user], system }))).toBe('Summary of 1 messages.')
  })

  it('a request for a summary is answered with the number of its messages', async () => {
    const outputs = await playScript('', { messages: [user, user, user], purpose: 'summary' })
    expect(textOf(outputs)).toBe('Summary of 3 messages.')
    expect(brief(outputs).at(-1)).toBe('finished:stop')
  })
})

describe('showing what the model was given', () => {
  const more: Partial<ModelRequest> = {
    system: 'Be "kind".\nAlways.',
    options: { language: 'Danish', apiKey: 'sk-1234' },
    secretOptions: ['apiKey'],
    tools: [{ name: 'echo', description: 'Returns msg.', parameters: { type: 'object' } }],
  }

  it('shows options, a secret as the beginning of its digest', async () => {
    const digest = createHash('sha256').update('sk-1234').digest('hex').slice(0, 8)
    const outputs = await playScript('show options', more)
    expect(JSON.parse(textOf(outputs))).toEqual({ language: 'Danish', apiKey: digest })
  })

  it.each(['tools', 'system'] as const)('shows %s as one JSON line', async (part) => {
    const text = textOf(await playScript(`show ${part}`, more))
    expect(text).not.toContain('\n')
    expect(JSON.parse(text)).toEqual(more[part])
  })

  it('shows messages, the script among them', async () => {
    expect(JSON.parse(textOf(await playScript('show messages', more)))).toEqual([
      { role: 'user', content: 'show messages' },
    ])
  })

  it('is an ordinary line of text', async () => {
    expect(textOf(await playScript('say a\nshow options\nsay b'))).toBe('a\n{}\nb')
  })
})

describe('time', () => {
  it('yields after each token', async () => {
    const order: string[] = []
    const model = createScriptedModel({ clock: createFakeClock(), giveWay: async () => void order.push('way') })
    for await (const output of model.stream(requestFor('say a\ntokens 2\nsay b'), never)) order.push(...brief([output]))
    expect(order).toEqual(['text:a\n', 'text:x ', 'way', 'text:x ', 'way', 'text:b', 'finished:stop'])
  })

  it('lets the event loop turn between two tokens', async () => {
    const order: string[] = []
    const model = createScriptedModel({ clock: createFakeClock() })
    for await (const output of model.stream(requestFor('tokens 3'), never)) {
      order.push(output.type)
      setImmediate(() => order.push('loop'))
    }
    expect(order.slice(0, 6)).toEqual(['text', 'loop', 'text', 'loop', 'text', 'loop'])
  })

  it('sleeps by the clock', async () => {
    const clock = createFakeClock()
    const outputs = createScriptedModel({ clock })
      .stream(requestFor('sleep 50\nsay awake'), never)
      [Symbol.asyncIterator]()
    const first = outputs.next()
    let isAwake = false
    void first.then(() => (isAwake = true))
    clock.advance(49)
    await new Promise(setImmediate)
    expect(isAwake).toBe(false)
    clock.advance(1)
    expect((await first).value).toEqual({ type: 'text', text: 'awake' })
  })
})

describe('an abort', () => {
  it('wakes a sleeping script, which then ends without another output', async () => {
    const clock = createFakeClock()
    const abort = new AbortController()
    const outputs = createScriptedModel({ clock }).stream(requestFor('sleep 5000\nsay never'), abort.signal)
    const played = Array.fromAsync(outputs)
    abort.abort()
    expect(await played).toEqual([])
    expect(clock.pendingTimers()).toBe(0)
  })

  it.each([
    { what: 'tokens', script: 'tokens 1000' },
    { what: 'words', script: `say ${'word '.repeat(1000)}` },
    { what: 'calls', script: 'call c echo {}\n'.repeat(1000) },
  ])('stops $what at the next output', async ({ script }) => {
    const abort = new AbortController()
    let count = 0
    const model = createScriptedModel({ clock: createFakeClock() })
    for await (const _ of model.stream(requestFor(script), abort.signal)) if (++count === 3) abort.abort()
    expect(count).toBe(3)
  })

  it('before the start means no output at all', async () => {
    expect(await play(requestFor('say a'), AbortSignal.abort())).toEqual([])
    expect(await play(requestFor('sleep 10\nsay a'), AbortSignal.abort())).toEqual([])
  })
})
