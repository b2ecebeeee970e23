import { ASK_IN_TEXT, type ModelMessage, type ModelRequest, asToolCallId } from '@polylogue/engine'
import { describe, expect, it } from 'vitest'
import { type DemoAnswer, answerOf } from '../demo-answer.ts'
import type { Call } from '../telling.ts'
import { WORK_CHINESE } from './work-chinese.ts'
import { WORK_ENGLISH } from './work-english.ts'
import { STAGES } from './stage.ts'

const ALL = ['Read', 'Write', 'Edit', 'Glob', 'Grep', 'Bash', 'WebFetch', 'AskUserQuestion', 'Agent', 'TodoWrite']
const MOST_STEPS = 20

interface Ending {
  readonly text: string
  readonly isError?: boolean
}
type Answering = (call: Call) => Ending | undefined

const FINE: Ending = { text: 'fine' }
const error = (text: string): Ending => ({ text, isError: true })
const DENIED = error('Tool call denied')

/** What real tools would answer. */
function usually({ tool, input }: Call): Ending {
  if (tool === 'AskUserQuestion') return { text: 'A library at night' }
  if (tool === 'Bash' && input['command'] === 'pwd') return { text: '/data/workspaces/1' }
  return FINE
}

interface Played {
  readonly steps: readonly DemoAnswer[]
  readonly calls: readonly Call[]
  readonly last: string
  readonly messages: readonly ModelMessage[]
}

const requestOf = (messages: readonly ModelMessage[], tools: readonly string[]): ModelRequest => ({
  system: '',
  messages,
  tools: tools.map((name) => ({ name, description: '', parameters: {} })),
  options: {},
  secretOptions: [],
  step: 0,
  purpose: 'answer',
  readBlob: () => Promise.reject(new Error('no blobs here')),
})

/** Asks the guide again with the results of its calls until it makes none. */
function play(said: string, { tools = ALL, answer }: { tools?: readonly string[]; answer?: Answering } = {}): Played {
  const messages: ModelMessage[] = [{ role: 'user', content: said }]
  const steps: DemoAnswer[] = []
  for (;;) {
    const step = answerOf(requestOf(messages, tools))
    steps.push(step)
    if (step.calls.length === 0) break
    if (steps.length > MOST_STEPS) throw new Error('it does not come to an end')
    const calls = step.calls.map((call, index) => ({ ...call, id: asToolCallId(`c${messages.length}_${index}`) }))
    messages.push({
      role: 'assistant',
      content: [
        { type: 'text', text: step.text },
        ...calls.map(({ id, tool, input }) => ({ type: 'tool-call' as const, toolCallId: id, name: tool, input })),
      ],
    })
    for (const { id, ...call } of calls) {
      const { text, isError = false } = answer?.(call) ?? usually(call)
      messages.push({ role: 'tool', toolCallId: id, name: call.tool, content: text, isError })
    }
  }
  return { steps, calls: steps.flatMap(({ calls }) => calls), last: steps.at(-1)?.text ?? '', messages }
}

const only =
  (tool: string, ending: Ending): Answering =>
  (call) =>
    call.tool === tool ? ending : undefined
const namesOf = ({ calls }: Played): readonly string[] => calls.map(({ tool }) => tool)

describe('a whole piece of work', () => {
  it('plans, asks, writes, edits, reads, searches, runs commands, hands over and explains', () => {
    const played = play('work')
    expect(played.steps.map(({ calls }) => calls.map(({ tool }) => tool).join(' '))).toEqual([
      'TodoWrite AskUserQuestion',
      'TodoWrite Write',
      'Edit',
      'Read Grep',
      'TodoWrite Bash Bash',
      'Bash',
      'Agent',
      'TodoWrite',
      '',
    ])
    expect(played.calls.filter(({ tool }) => tool === 'Bash').map(({ input }) => input['command'])).toEqual([
      'ls -l',
      'pwd',
      'date > stamp.txt',
    ])
    expect(played.last).toContain('`/data/workspaces/1/first-page.md`')
    expect(played.last.match(/: done$/gm)).toHaveLength(STAGES.length)
    expect(played.last).toContain('Planning mode')
    expect(played.last).toContain('Next: ')
  })

  it('keeps a plan that moves on and ends with every step completed', () => {
    const plans = play('work').calls.filter(({ tool }) => tool === 'TodoWrite')
    const states = plans.map(({ input }) => JSON.stringify(input['todos']).match(/in_progress|pending|completed/g))
    expect(states[0]).toEqual(['in_progress', ...Array.from({ length: 6 }, () => 'pending')])
    expect(states[2]?.slice(0, 5)).toEqual(['completed', 'completed', 'completed', 'completed', 'in_progress'])
    expect(new Set(states.at(-1))).toEqual(new Set(['completed']))
  })

  it('writes about what the user chose, and edits a line that is there exactly once', () => {
    for (const [said, texts] of [
      ['work', WORK_ENGLISH],
      ['干活', WORK_CHINESE],
    ] as const) {
      const { calls } = play(said)
      const content = String(calls.find(({ tool }) => tool === 'Write')?.input['content'])
      expect(content.startsWith('# A library at night\n')).toBe(true)
      expect(content.split(texts.file.draft)).toHaveLength(2)
      expect(calls.find(({ tool }) => tool === 'Edit')?.input).toMatchObject({ oldText: texts.file.draft })
      expect(content).toContain('Polylogue')
    }
  })

  it.each([
    ['(user unavailable)', 'The sea'],
    [ASK_IN_TEXT, 'The sea'],
    ['The user did not answer. Decide what is reasonable, and say what you decided.', 'The sea'],
    ['', 'The sea'],
    [' \n\t', 'The sea'],
    ['## My \u202e dog\nand more', 'My dog'],
    ['x'.repeat(500), 'x'.repeat(60)],
    [`${'y'.repeat(59)}😀`, 'y'.repeat(59)],
  ])('makes a heading of any answer: %j', (text, heading) => {
    const { calls } = play('work', { answer: only('AskUserQuestion', { text }) })
    const content = String(calls.find(({ tool }) => tool === 'Write')?.input['content'])
    expect(content.split('\n')[0]).toBe(`# ${heading}`)
  })

  it('continues without what was denied, and asks for nothing twice', () => {
    const unwritten = play('work', { answer: only('Write', DENIED) })
    expect(namesOf(unwritten)).not.toContain('Edit')
    expect(namesOf(unwritten)).not.toContain('Agent')
    expect(unwritten.last).toContain('- Write the page: you said no')
    expect(unwritten.last).toContain('- Change a line of it: left out')
    expect(unwritten.last).toContain('No page was written.')

    const unplanned = play('work', { answer: only('TodoWrite', DENIED) })
    expect(namesOf(unplanned).filter((name) => name === 'TodoWrite')).toHaveLength(1)
    expect(unplanned.last).toContain('- Write the page: done')
  })

  it.each(ALL)('comes to its end whatever becomes of %s', (tool) => {
    for (const ending of [
      DENIED,
      error('Tool call denied: not today'),
      error('Outcome unknown: the server stopped while this call was running.'),
      error('Tool call cancelled: cancelled by the user'),
      error(`Error: the tool ${tool} is not allowed in mode plan`),
      error('Error: path: no space left'),
      { text: '' },
    ]) {
      const { last, steps } = play('work', { answer: only(tool, ending) })
      expect(last).toContain('What became of it')
      expect(steps.every(({ text }) => text !== '')).toBe(true)
    }
  })

  it('comes to its end when everything is denied', () => {
    const { last } = play('work', { answer: () => DENIED })
    expect(last).toContain('- Note the time in a file: you said no')
    expect(last).not.toContain(': done')
  })

  it('distinguishes a denial by the user from one by the mode', () => {
    const refusal = error('Error: the tool Bash is not allowed in mode plan')
    const { steps, last } = play('work', { answer: only('Bash', refusal) })
    expect(steps.some(({ text }) => text.includes('was refused without asking anybody'))).toBe(true)
    expect(last).toContain('- Look at the directory: refused by the mode or a rule')
  })

  it.each(ALL)('calls only what it was offered, and says that %s is missing if it needs it', (missing) => {
    const tools = ALL.filter((name) => name !== missing)
    const played = play('work', { tools })
    expect(namesOf(played)).not.toContain(missing)
    expect(played.last).toContain('What became of it')
    const isNeeded = ['Read', 'Write', 'Edit', 'Bash', 'AskUserQuestion', 'Agent'].includes(missing)
    expect(played.steps[0]?.text.includes('which this session does not have')).toBe(isNeeded)
  })

  it.each([
    ['work', 'For a piece of work I would need `AskUserQuestion`, `Write`'],
    ['干活', '要做事，我需要 `AskUserQuestion`、`Write`'],
  ])('says how to get the tools when there are none: %s', (said, expected) => {
    const { calls, last } = play(said, { tools: ['CurrentTime'] })
    expect(calls).toEqual([])
    expect(last).toContain(expected)
    expect(last).toContain('{"name": "Write"}')
  })

  it('looks around where nothing may be changed', () => {
    const played = play('work', { tools: ['Read', 'Glob', 'Grep', 'Bash', 'AskUserQuestion', 'Agent'] })
    expect(played.steps[0]?.text).toContain('in planning and in read-only mode')
    expect(namesOf(played)).toEqual(['AskUserQuestion', 'Bash', 'Bash', 'Bash'])
    expect(played.last).toContain('- Write the page: left out')
  })

  it('continues with what is left when the tools change on the way', () => {
    const { messages } = play('work')
    const afterWrite = messages.slice(0, messages.findIndex((one) => one.role === 'tool' && one.name === 'Write') + 1)
    const { calls, text } = answerOf(requestOf(afterWrite, ['Read', 'Grep', 'Bash']))
    expect(calls.map(({ tool }) => tool)).toEqual(['Read', 'Grep'])
    expect(text).toContain('The file is there.')
  })

  it('starts again when asked again', () => {
    const { messages } = play('work')
    const again = answerOf(requestOf([...messages, { role: 'user', content: 'work' }], ALL))
    expect(again.calls.map(({ tool }) => tool)).toEqual(['TodoWrite', 'AskUserQuestion'])
  })

  it('does all of it in Chinese too', () => {
    const { steps, last, calls } = play('干活')
    expect(last.match(/：做好了$|: 做好了$/gm)).toHaveLength(STAGES.length)
    expect(JSON.stringify(calls[1]?.input)).toContain('大海')
    for (const { text } of steps) expect(text).not.toMatch(/[a-z]{3,} [a-z]{3,} [a-z]{3,}/)
  })
})

describe('a sub-agent of the guide', () => {
  const FILE = '     1\t# The sea\n     2\t\n     3\tText'

  it.each([
    [WORK_ENGLISH, 'first-page.md has 3 lines and begins with “# The sea”.'],
    [WORK_CHINESE, 'first-page.md 有 3 行，开头是“# The sea”。'],
  ])('reads what its prompt names, and reports in one sentence', (texts, expected) => {
    const played = play(texts.errand.prompt('first-page.md'), { answer: () => ({ text: FILE }) })
    expect(played.calls).toEqual([{ tool: 'Read', input: { path: 'first-page.md' } }])
    expect(played.last).toBe(expected)
  })

  it('says what it could not do', () => {
    const prompt = WORK_ENGLISH.errand.prompt('a.md')
    expect(play(prompt, { answer: () => DENIED }).last).toBe('I could not look into a.md: “Tool call denied”.')
    expect(play(prompt, { answer: () => ({ text: 'a.md is empty.' }) }).last).toContain('has 0 lines')
    expect(play(prompt, { tools: [] }).last).toContain('I was not given the tool `Read`')
  })

  it('is given the very prompt that it understands', () => {
    for (const said of ['work', '干活']) {
      const prompt = String(play(said).calls.find(({ tool }) => tool === 'Agent')?.input['prompt'])
      expect(answerOf(requestOf([{ role: 'user', content: prompt }], ALL)).calls).toMatchObject([{ tool: 'Read' }])
    }
  })
})
