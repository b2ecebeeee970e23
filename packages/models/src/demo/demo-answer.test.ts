import { type ModelMessage, type ModelRequest, asToolCallId } from '@polylogue/engine'
import { describe, expect, it } from 'vitest'
import { CHINESE } from './chinese.ts'
import { answerOf } from './demo-answer.ts'
import { ENGLISH } from './english.ts'
import { toPieces } from './to-pieces.ts'

const DEMO_TOOLS = ['CurrentTime', 'KeepNote'].map((name) => ({ name, description: '', parameters: {} }))

function request(messages: readonly ModelMessage[], more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: '',
    messages,
    tools: DEMO_TOOLS,
    options: {},
    secretOptions: [],
    step: 0,
    purpose: 'answer',
    readBlob: () => Promise.reject(new Error('no blobs here')),
    ...more,
  }
}

const user = (content: string): ModelMessage => ({ role: 'user', content })
const result = (name: string, content: string, isError = false): ModelMessage => ({
  role: 'tool',
  toolCallId: asToolCallId('c'),
  name,
  content,
  isError,
})

/** What the user said before, and the last of it. */
const after = (...said: readonly string[]): ModelRequest =>
  request(
    said.flatMap((text, index) => (index === 0 ? [user(text)] : [{ role: 'assistant', content: '…' }, user(text)])),
  )

describe('the guide', () => {
  it.each(['hello', 'Hello! What can you do?', 'help', 'gibberish', 'who are you?'])(
    'says at the first %j that it is no AI, and lists what there is to try',
    (text) => {
      const answer = answerOf(after(text))
      expect(answer.text).toContain('no AI')
      expect(answer.text).toMatch(
        /all of them offline[^]*\n1\. [^]*\n9\. An agent of your own\n10\. A whole piece of work/,
      )
      expect(answer.calls).toEqual([])
    },
  )

  it('answers in the language of the user, and keeps to it where a message has none', () => {
    expect(answerOf(after('你好')).text).toContain('不是 AI')
    expect(answerOf(after('你好', '1')).text).toContain('接下来：')
    expect(answerOf(after('你好', 'hello')).text).toContain('Things to try')
    expect(answerOf(after('hello', '８')).text).toContain('Set a key')
  })

  it('speaks the language that an option names', () => {
    expect(answerOf(request([user('你好')], { options: { language: 'English' } })).text).toContain('no AI')
    expect(answerOf(request([user('hello')], { options: { language: '中文' } })).text).toContain('不是 AI')
  })

  it('takes its tour in order, and suggests what comes next', () => {
    expect(answerOf(after('hi', 'next')).text).toMatch(
      /You are looking at it[^]*Next: A tool that only reads\. Write `2`/,
    )
    expect(answerOf(after('hi', 'next', 'next')).calls).toEqual([{ tool: 'CurrentTime', input: {} }])
    expect(answerOf(after('8')).text).toMatch(/Next: An agent of your own\. Write `9`/)
    expect(answerOf(after('10', '8', 'yes')).text).toMatch(/polylogue\.config\.ts[^]*Next: How an answer arrives/)
  })

  it('marks what it has shown', () => {
    const { text } = answerOf(after('crash', '3', 'menu'))
    expect(text).toContain('\n3. A tool that needs your yes ✓\n')
    expect(text).toContain('\n6. A crash: kill the server with -9, and go on ✓\n')
    expect(text.match(/✓/g)).toHaveLength(2)
  })

  it('knows what it has shown from its own summary, and from a summary of that', () => {
    const summaryOf = (before: ModelRequest): ModelMessage =>
      user(`The conversation so far, in a summary:\n\n${answerOf({ ...before, purpose: 'summary' }).text}`)
    for (const [first, title] of [
      ['你好', '流式输出和思考 ✓'],
      ['hello', 'streaming and thinking ✓'],
    ] as const) {
      const once = [summaryOf(after(first, '1', 'a / b')), user('6')]
      const twice = [summaryOf(request(once)), user('8')]
      const { text } = answerOf(request([...twice, user(first === 'hello' ? 'menu' : '菜单')]))
      expect(text).toContain(title)
      expect(text.match(/✓/g)).toHaveLength(3)
    }
  })

  it('ends when all has been seen', () => {
    const all = ['10', '1', '2', '3', '4', '5', '6', '7', '8', '9']
    expect(answerOf(after(...all)).text).toContain('That was the whole tour')
    expect(answerOf(after(...all, 'next')).text).toBe(ENGLISH.finished)
    expect(answerOf(after('hi', 'bye')).text).toBe(ENGLISH.farewell)
  })

  it('quotes what it cannot answer, cut to a readable length', () => {
    const { text, thinking } = answerOf(after('hi', `Write a poem about ${'sea '.repeat(100)}`))
    expect(text).toMatch(/^I cannot answer “Write a poem about sea .{50,70}…”/)
    expect(text).toContain('`8` says how')
    expect(thinking).toContain('I will not pretend')
  })

  it('has something to say to a message without words', () => {
    const image = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } } as const
    expect(answerOf(request([{ role: 'user', content: [image] }])).text).toContain('found no words')
  })

  it('thinks about the word that it knew', () => {
    expect(answerOf(after('is anything lost?')).thinking).toBe(
      'I look for words that I know, and find “lost”: number 6 of my tour.',
    )
    expect(answerOf(after('6')).thinking).toBe('Number 6 of my tour.')
  })

  it('lists the options that it was given, but never a secret', () => {
    const options = { pace: 'fast', apiKey: 'sk-very-secret' }
    const { text } = answerOf(request([user('options')], { options, secretOptions: ['apiKey'] }))
    expect(text).toContain('- `pace`: fast\n- `apiKey`: secret\n')
    expect(text).not.toContain('sk-very-secret')
  })
})

describe('the guide and its tools', () => {
  it.each([
    ['what time is it in Tokyo?', [{ tool: 'CurrentTime', input: { timeZone: 'Asia/Tokyo' } }]],
    ['3', [{ tool: 'KeepNote', input: { text: ENGLISH.note } }]],
    ['note: buy milk', [{ tool: 'KeepNote', input: { text: 'buy milk' } }]],
    [
      'parallel',
      ['Asia/Shanghai', 'Europe/Berlin', 'America/New_York'].map((timeZone) => ({
        tool: 'CurrentTime',
        input: { timeZone },
      })),
    ],
  ])('calls what shows it: %s', (text, calls) => {
    const answer = answerOf(after(text))
    expect(answer.calls).toEqual(calls)
    expect(answer.text).not.toContain('Next:')
  })

  it.each(['2', '3', '4'])('says how a session gets the tools that number %s needs', (number) => {
    const answer = answerOf(request([user(number)], { tools: [] }))
    expect(answer.calls).toEqual([])
    expect(answer.text).toContain('this session does not have it')
    expect(answer.text).toContain('Next:')
  })

  it('explains a result, and continues with the tour', () => {
    const { text } = answerOf(request([user('2'), result('CurrentTime', 'noon')]))
    expect(text).toMatch(/^`CurrentTime` answered: noon\n\nWhat happened: [^]*Next: A tool that needs your yes/)
  })

  it('shows both sides of an approval', () => {
    const yes = [user('3'), result('KeepNote', 'Note 1 is in demo-notes/local.txt.')]
    const no = [user('3'), result('KeepNote', 'Tool call denied', true)]
    expect(answerOf(request(yes)).text).toMatch(/You said yes, or .*say no, to see the other side/)
    expect(answerOf(request(no)).text).toMatch(/You said no\. .*say yes, to see the other side/)
    expect(answerOf(request([...yes, ...no])).text).not.toContain('the other side')
    expect(answerOf(request([...no, ...yes])).text).not.toContain('the other side')
  })

  it('repeats the reason of a no', () => {
    const messages = [user('3'), result('KeepNote', 'Tool call denied: not today', true)]
    expect(answerOf(request(messages)).text).toContain('“Tool call denied: not today”')
  })

  it.each([
    ['Outcome unknown: the server stopped while this call was running.', /was not run again/],
    ['local.txt is full; delete it to go on.', /That went wrong/],
  ])('is honest about a call that ended with: %s', (content, expected) => {
    expect(answerOf(request([user('3'), result('KeepNote', content, true)])).text).toMatch(expected)
  })

  it('shows every result of several calls', () => {
    const results = ['one', 'two', 'three'].map((content) => result('CurrentTime', content))
    const { text, thinking } = answerOf(request([user('4'), ...results]))
    expect(text).toMatch(/answered: one\n.*answered: two\n.*answered: three\n\nI was asked again only when/)
    expect(thinking).toBe('All 3 results have come back.')
  })
})

describe('the texts of the guide', () => {
  const texts = [ENGLISH, CHINESE].flatMap(({ welcome, about, topics, slow, calls, results, menu }) => [
    welcome,
    about,
    menu.head,
    menu.foot,
    ...[topics, slow, calls, results, menu.titles]
      .flatMap((group) => Object.values(group))
      .filter((one) => typeof one === 'string'),
  ])

  it('promise nothing that is not there', () => {
    expect(texts.length).toBeGreaterThan(50)
    for (const text of texts) expect(text).not.toMatch(/\b(ACP|Zed|Blade|Socket\.IO|cards?|memory|Postgres)\b/i)
  })

  it('are cut into pieces of which nothing is lost', () => {
    for (const text of texts) {
      const pieces = toPieces(text)
      expect(pieces.join('')).toBe(text)
      expect(Math.max(...pieces.map((piece) => piece.replaceAll(/\s|[\u0020-\u00FF]/g, '').length))).toBeLessThan(5)
    }
  })

  it('tell the same commands in both languages', () => {
    const commandsIn = (text: string) => text.match(/^ {4}.*$/gm)?.filter((line) => !line.includes('polylogue run'))
    for (const topic of ['crash', 'shell', 'model', 'agent'] as const) {
      expect(commandsIn(CHINESE.topics[topic])).toEqual(commandsIn(ENGLISH.topics[topic]))
    }
  })
})
