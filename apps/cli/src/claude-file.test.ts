import { describe, expect, it } from 'vitest'
import { parseClaudeFile } from './claude-file.ts'

const lines = (...records: readonly object[]): string => records.map((found) => JSON.stringify(found)).join('\n')
const prompt = (uuid: string, text: string, parentUuid: string | null = null) => ({
  type: 'user',
  uuid,
  parentUuid,
  cwd: '/home/anna/app',
  message: { role: 'user', content: text },
})
const answer = (uuid: string, parentUuid: string, ...content: readonly object[]) => ({
  type: 'assistant',
  uuid,
  parentUuid,
  message: { id: 'msg_1', role: 'assistant', content },
})
const result = (uuid: string, parentUuid: string, id: string, content: unknown) => ({
  type: 'user',
  uuid,
  parentUuid,
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] },
})

describe('a file of Claude Code', () => {
  it('gives messages, calls with their results, thinking, a title and a directory', () => {
    const text = lines(
      { type: 'summary', summary: 'Fix the login', leafUuid: 'x' },
      prompt('a', 'Fix it'),
      answer('b', 'a', { type: 'thinking', thinking: 'Hm', signature: 's' }),
      answer('c', 'b', { type: 'text', text: 'I look.' }),
      answer('d', 'c', { type: 'tool_use', id: 't1', name: 'Read', input: { path: 'a.ts' } }),
      result('e', 'd', 't1', [{ type: 'text', text: 'one' }]),
      answer('f', 'c', { type: 'tool_use', id: 't2', name: 'Read', input: { path: 'b.ts' } }),
      result('g', 'f', 't2', 'two'),
      prompt('h', 'Thanks', 'g'),
    )
    expect(parseClaudeFile(text)).toEqual({
      title: 'Fix the login',
      directory: '/home/anna/app',
      skipped: 0,
      left: new Map(),
      messages: [
        { role: 'user', content: 'Fix it' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', text: 'Hm' },
            { type: 'text', text: 'I look.' },
            { type: 'tool-call', toolCallId: 't1', name: 'Read', input: { path: 'a.ts' } },
            { type: 'tool-call', toolCallId: 't2', name: 'Read', input: { path: 'b.ts' } },
          ],
        },
        { role: 'tool', toolCallId: 't1', content: 'one' },
        { role: 'tool', toolCallId: 't2', content: 'two' },
        { role: 'user', content: 'Thanks' },
      ],
    })
  })

  it('says what had no counterpart', () => {
    const text = lines(
      prompt('a', 'Look'),
      { ...prompt('b', 'Inner work', 'a'), isSidechain: true },
      { type: 'file-history-snapshot', snapshot: {} },
      { ...prompt('c', 'Caveat', 'a'), isMeta: true },
      { type: 'user', uuid: 'd', message: { role: 'user', content: [{ type: 'image', source: {} }] } },
    )
    expect(parseClaudeFile(`${text}\nnot json\n`)).toMatchObject({
      messages: [{ role: 'user', content: 'Look' }],
      left: new Map([
        ['lines that could not be read', 1],
        ['records of sub-agents', 1],
        ['records of the type file-history-snapshot', 1],
        ['notes of the program to the model', 1],
        ['images', 1],
      ]),
    })
  })

  it('follows the prompt that was sent again after a change', () => {
    const text = lines(
      prompt('a', 'First'),
      answer('b', 'a', { type: 'text', text: 'Yes' }),
      prompt('c', 'Wrong', 'b'),
      { ...answer('d', 'c', { type: 'text', text: 'No' }), message: { id: 'msg_2', role: 'assistant', content: 'No' } },
      prompt('e', 'Right', 'b'),
    )
    const { messages, left } = parseClaudeFile(text) ?? {}
    expect(messages?.map(({ content }) => content)).toEqual(['First', [{ type: 'text', text: 'Yes' }], 'Right'])
    expect(left).toEqual(new Map([['records that an edited prompt replaced', 2]]))
  })

  it('gives a call that was cut off a result', () => {
    const text = lines(prompt('a', 'Go'), answer('b', 'a', { type: 'tool_use', id: 't', name: 'Bash', input: {} }))
    expect(parseClaudeFile(text)?.messages.at(-1)).toEqual({
      role: 'tool',
      toolCallId: 't',
      content: '(no result was kept)',
    })
  })

  it.each(['', '{}', 'text', '{"type":"summary","summary":"x"}'])('is not %j', (text) => {
    expect(parseClaudeFile(text)).toBeUndefined()
  })

  it('is read in time that grows with its size, however many prompts it has', () => {
    const prompts = Array.from({ length: 60_000 }, (_, index) => prompt(`p${index}`, 'x', `before${index}`))
    const start = performance.now()
    expect(parseClaudeFile(lines(...prompts))?.messages).toHaveLength(60_000)
    expect(performance.now() - start).toBeLessThan(30_000)
  })

  it('has no effect on objects and may be nested as deep as it likes', () => {
    const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`
    const call = `{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"__proto__","input":${deep}}]}}`
    const proto =
      '{"type":"user","__proto__":{"isMeta":true},"message":{"role":"user","content":"hi","__proto__":{"x":1}}}'
    expect(parseClaudeFile(`${proto}\n${call}`)?.messages[0]).toMatchObject({ role: 'user', content: 'hi' })
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false)
  })
})
