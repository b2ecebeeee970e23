import { describe, expect, it } from 'vitest'
import { directoryOfAgentaoFile, parseAgentaoFile, toAgentaoFile } from './agentao-file.ts'
import type { SessionRecord } from '@polylogue/console/client'

const call = (id: string, name: string, given: string) => ({
  id,
  type: 'function',
  function: { name, arguments: given },
})
const file = (...messages: readonly unknown[]) => ({ session_id: 'x', title: ' A talk ', messages })

describe('a file of Agentao’s', () => {
  it('becomes a conversation, without the instructions of the other program', () => {
    const conversation = parseAgentaoFile(
      file(
        { role: 'system', content: 'You are Agentao.' },
        { role: 'user', content: [{ type: 'text', text: 'look' }, { type: 'image_url' }] },
        {
          role: 'assistant',
          content: null,
          reasoning_content: 'hm',
          tool_calls: [call('c1', 'read_file', '{"path":"a"}')],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'text of a' },
        { role: 'assistant', content: 'Done.' },
      ),
    )
    expect(conversation).toEqual({
      title: 'A talk',
      skipped: 0,
      messages: [
        { role: 'user', content: 'look' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', text: 'hm' },
            { type: 'tool-call', toolCallId: 'c1', name: 'read_file', input: { path: 'a' } },
          ],
        },
        { role: 'tool', toolCallId: 'c1', content: 'text of a' },
        { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
      ],
    })
  })

  it('may have gaps: they are filled, or left out and counted', () => {
    const conversation = parseAgentaoFile(
      file(
        'nonsense',
        { role: 'narrator', content: 'x' },
        { role: 'tool', tool_call_id: 'never', content: 'x' },
        {
          role: 'assistant',
          content: '',
          tool_calls: [call('a b', 't', 'not JSON'), call('c', 't', '[1]'), { id: 'd' }],
        },
        { role: 'user', content: 'go on' },
        { role: 'tool', tool_call_id: 'c', content: 'too late' },
      ),
    )
    expect(conversation?.skipped).toBe(5)
    expect(conversation?.messages).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', toolCallId: 'imported_1', name: 't', input: { _raw: 'not JSON' } },
          { type: 'tool-call', toolCallId: 'c', name: 't', input: { _value: [1] } },
        ],
      },
      { role: 'tool', toolCallId: 'imported_1', content: '(no result was kept)' },
      { role: 'tool', toolCallId: 'c', content: '(no result was kept)' },
      { role: 'user', content: 'go on' },
    ])
  })

  it.each([undefined, null, [], 'x', {}, { messages: 'x' }])('is not %j', (value) => {
    expect(parseAgentaoFile(value)).toBeUndefined()
  })

  it('shows by its place where the conversation took place', () => {
    expect(directoryOfAgentaoFile('/home/me/project/.agentao/sessions/2026.json')).toBe('/home/me/project')
    expect(directoryOfAgentaoFile('/home/me/2026.json')).toBeUndefined()
  })

  it('is made of a session, and read again it is the same conversation', () => {
    const record: SessionRecord = {
      session: {
        sessionId: 's',
        title: 'A talk',
        status: 'idle',
        user: 'local',
        preset: 'workspace-write',
        directories: [],
        agent: 'assistant',
        model: 'openai/gpt',
        waitingCalls: [],
        createdAt: 0,
        updatedAt: 1_000,
      },
      events: 9,
      messages: [
        { role: 'user', content: 'look' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', text: 'hm' },
            { type: 'text', text: 'Well.' },
            { type: 'tool-call', toolCallId: 'c1', name: 'Read', input: { path: 'a' } },
          ],
        },
        { role: 'tool', toolCallId: 'c1', content: 'text of a' },
      ],
    }
    const text = [...toAgentaoFile(record)].join('')
    const written: unknown = JSON.parse(text)
    expect(text).toBe(`${JSON.stringify(written, null, 2)}\n`)
    const empty = [...toAgentaoFile({ ...record, messages: [] })].join('')
    expect(empty).toBe(`${JSON.stringify(JSON.parse(empty), null, 2)}\n`)
    expect(written).toMatchObject({
      session_id: 's',
      title: 'A talk',
      created_at: '1970-01-01T00:00:00.000Z',
      updated_at: '1970-01-01T00:00:01.000Z',
      model: 'openai/gpt',
      active_skills: [],
    })
    expect(parseAgentaoFile(written)).toEqual({
      title: 'A talk',
      skipped: 0,
      messages: record.messages,
    })
  })
})
