import { describe, expect, it } from 'vitest'
import { Transcript } from './assets/transcript.js'

describe('Transcript', () => {
  it('shows a history in order, every result with its call', () => {
    const transcript = new Transcript([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', text: 'Hm.' },
          { type: 'text', text: 'Let me look.' },
          { type: 'tool-call', toolCallId: 'a', name: 'echo', input: { msg: '1' } },
          { type: 'tool-call', toolCallId: 'b', name: 'echo', input: { msg: '2' } },
        ],
      },
      { role: 'tool', toolCallId: 'a', content: [{ type: 'text', text: 'one' }, { type: 'image' }] },
      { role: 'assistant', content: 'Done.' },
    ])
    expect(transcript.items).toEqual([
      { kind: 'system', text: 'Be brief.' },
      { kind: 'user', text: 'Hi' },
      { kind: 'thinking', text: 'Hm.' },
      { kind: 'text', text: 'Let me look.' },
      { kind: 'call', toolCallId: 'a', name: 'echo', input: { msg: '1' }, result: 'one[image]' },
      { kind: 'call', toolCallId: 'b', name: 'echo', input: { msg: '2' } },
      { kind: 'text', text: 'Done.' },
    ])
    expect(transcript.openCalls.map((call) => call.toolCallId)).toEqual(['b'])
  })

  it('joins the deltas of a block and parts blocks, steps and turns', () => {
    const transcript = new Transcript([{ role: 'assistant', content: 'Earlier.' }])
    transcript.addUser('Go')
    transcript.apply({ event: 'turn_start' })
    transcript.apply({ event: 'thinking_delta', delta: 'Let ' })
    transcript.apply({ event: 'thinking_delta', delta: 'me.' })
    transcript.apply({ event: 'text_delta', delta: 'One ' })
    transcript.apply({ event: 'text_delta', delta: 'two' })
    transcript.apply({ event: 'tool_call', toolCallId: 'a', name: 'echo', input: {} })
    transcript.apply({ event: 'tool_result', toolCallId: 'a', content: 'ok' })
    transcript.apply({ event: 'text_delta', delta: 'three' })
    transcript.apply({ event: 'turn_stop', stopReason: 'end_turn' })
    expect(transcript.items).toEqual([
      { kind: 'text', text: 'Earlier.' },
      { kind: 'user', text: 'Go' },
      { kind: 'thinking', text: 'Let me.' },
      { kind: 'text', text: 'One two' },
      { kind: 'call', toolCallId: 'a', name: 'echo', input: {}, result: 'ok' },
      { kind: 'text', text: 'three' },
    ])
  })

  it('never adds to the text of a history', () => {
    const transcript = new Transcript([{ role: 'assistant', content: 'Earlier.' }])
    transcript.apply({ event: 'text_delta', delta: 'Now.' })
    expect(transcript.items).toEqual([
      { kind: 'text', text: 'Earlier.' },
      { kind: 'text', text: 'Now.' },
    ])
  })

  it('parts the text of a step that was interrupted from that of the one after it', () => {
    const transcript = new Transcript()
    transcript.apply({ event: 'text_delta', delta: 'Be' }, '4.0')
    transcript.apply({ event: 'text_delta', delta: 'fore' }, '4.0')
    transcript.apply({ event: 'text_delta', delta: 'Before and after' }, '7.0')
    expect(transcript.items).toEqual([
      { kind: 'text', text: 'Before' },
      { kind: 'text', text: 'Before and after' },
    ])
  })

  it('forgets the step that is told again, and nothing before it', () => {
    const transcript = new Transcript()
    transcript.addUser('Go')
    transcript.apply({ event: 'turn_start' })
    transcript.apply({ event: 'text_delta', delta: 'First step.' })
    transcript.apply({ event: 'tool_call', toolCallId: 'a', name: 'echo', input: {} })
    transcript.apply({ event: 'tool_result', toolCallId: 'a', content: 'ok' })
    transcript.apply({ event: 'text_delta', delta: 'Lost' })
    transcript.apply({ event: 'resync' })
    transcript.apply({ event: 'text_delta', delta: 'Found' })
    expect(transcript.items.map((item) => (item.kind === 'call' ? item.result : item.text))).toEqual([
      'Go',
      'First step.',
      'ok',
      'Found',
    ])
  })

  it.each([
    [{ stopReason: 'error', cancelled: true }, 'Stopped.'],
    [{ stopReason: 'error', error: { message: 'No model.' } }, 'The turn failed: No model.'],
    [{ stopReason: 'error' }, 'The turn failed.'],
    [{ stopReason: 'max_tokens' }, 'Cut off at the token limit of the model.'],
    [{ stopReason: 'refusal' }, 'The model declined to answer.'],
  ])('says how a turn ended that did not just finish: %j', (stop, text) => {
    const transcript = new Transcript()
    transcript.apply({ event: 'turn_stop', ...stop })
    expect(transcript.items).toEqual([{ kind: 'note', text }])
  })

  it('shows the answer of an agent that does not stream', () => {
    const transcript = new Transcript()
    transcript.addAnswers([
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.' },
          { type: 'tool_use', toolCallId: 'a', name: 'echo', input: {} },
        ],
      },
      { role: 'tool', toolCallId: 'a', content: 'ok' },
      { role: 'assistant', content: 'Done.' },
    ])
    expect(transcript.items).toEqual([
      { kind: 'thinking', text: 'Hm.' },
      { kind: 'call', toolCallId: 'a', name: 'echo', input: {}, result: 'ok' },
      { kind: 'text', text: 'Done.' },
    ])
  })
})
