import { describe, expect, it } from 'vitest'
import { createFakeTool, createTestAgent, foldEvents, given } from '@polylogue/testkit'
import type { AgentOption, SessionChanges } from '../index.ts'
import { acceptChanges } from './decide-changes.ts'

const options: AgentOption[] = [
  { name: 'apiKey', type: 'secret', default: '' },
  { name: 'language', type: 'text', default: 'English' },
  { name: 'model', type: 'select', choices: ['a', 'b'], default: 'a' },
]
const agent = createTestAgent({ options, tools: [createFakeTool('look')] })
const clientTools = [{ name: 'mine', description: '', parameters: {} }]

const accept = (changes: SessionChanges | undefined, created: Parameters<typeof given.created>[0] = {}) =>
  acceptChanges(foldEvents([given.created(created)]), { agent, isKnownModel: (name) => name === 'a/b' }, changes)

describe('changes of a session', () => {
  it('of what doors and lists show record only what differs', () => {
    const event = accept({ title: 'T', isPinned: true, isShared: false, model: 'a/b', labels: { x: '1', y: '' } }).event
    expect(event).toEqual(given.configured({ title: 'T', isPinned: true, model: 'a/b', labels: { x: '1' } }))
    expect(() => accept({ model: 'a/c' })).toThrow(expect.objectContaining({ code: 'unknown-model', field: 'model' }))
  })

  it('that change nothing record nothing', () => {
    expect(accept(undefined)).toEqual({ secrets: {} })
    expect(accept({})).toEqual({ secrets: {} })
    expect(accept({ title: '', preset: 'workspace-write', isPinned: undefined, labels: {} })).toEqual({ secrets: {} })
    expect(accept({ agent: 'tester', options: { nonsense: 'x' } })).toEqual({ secrets: {} })
  })

  it('record only what was given', () => {
    expect(accept({ options: { language: 'German' } })).toEqual({
      event: given.configured({ options: { language: 'German' } }),
      secrets: {},
    })
    expect(
      accept({ access: { type: 'listed', tools: [{ name: 'look' }] }, clientTools, preset: 'plan' }).event,
    ).toEqual(given.configured({ access: { type: 'listed', tools: [{ name: 'look' }] }, clientTools, preset: 'plan' }))
  })

  it('redact a secret and hand its text over to be sealed', () => {
    expect(accept({ options: { apiKey: 'sk-2' } })).toEqual({
      event: given.configured({ options: { apiKey: '***' }, secretOptions: ['apiKey'] }),
      secrets: { apiKey: 'sk-2' },
    })
  })

  it('keep a stored secret that comes back as ***', () => {
    const stored = { options: { apiKey: '***' }, secretOptions: ['apiKey'] }
    expect(accept({ options: { apiKey: '***' } }, stored)).toEqual({ secrets: {} })
    expect(accept({ options: { apiKey: 'sk-3' } }, stored).secrets).toEqual({ apiKey: 'sk-3' })
  })

  it('cannot name another agent', () => {
    expect(() => accept({ agent: 'other' })).toThrow(expect.objectContaining({ code: 'invalid-input', field: 'agent' }))
  })

  it('are judged together with what stays: a listed tool must exist, a client tool must have a name of its own', () => {
    expect(() => accept({ access: { type: 'listed', tools: [{ name: 'nobody' }] } })).toThrow(
      expect.objectContaining({ code: 'unknown-tool' }),
    )
    expect(() => accept({ clientTools: [{ name: 'look', description: '', parameters: {} }] })).toThrow(
      expect.objectContaining({ code: 'tool-name-clash' }),
    )
  })

  it('refuse a choice that is not offered', () => {
    expect(() => accept({ options: { model: 'z' } })).toThrow(expect.objectContaining({ code: 'invalid-option' }))
  })
})
