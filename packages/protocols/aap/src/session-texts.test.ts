import { describe, expect, it } from 'vitest'
import { asSessionId, asUserId, type AgentCatalog, type SessionView } from '@polylogue/engine'
import { encodeSession } from './encode-agent.ts'
import { SessionTexts } from './session-texts.ts'

const AGENTS: AgentCatalog = { find: () => undefined, list: () => [] }

function viewOf(index: number): SessionView {
  return {
    sessionId: asSessionId(`session-${index}`),
    userId: asUserId('local'),
    agent: 'scripted',
    access: { type: 'listed', tools: [{ name: 'echo', trust: false }] },
    options: {},
    clientTools: [],
  } as unknown as SessionView
}

const encoded = (view: SessionView): string => JSON.stringify(encodeSession(3, view, AGENTS))

describe('SessionTexts', () => {
  it('keeps the text while turns change only the activity', () => {
    const texts = new SessionTexts(AGENTS)
    const view = viewOf(1)
    expect(texts.of(view)).toBe(encoded(view))
    expect(texts.of({ ...view, status: 'running', lastSeq: 9 })).toBe(encoded(view))
  })

  it.each([
    ['access', { access: { type: 'listed', tools: [{ name: 'bash', trust: true }] } }],
    ['options', { options: { size: 'large' } }],
    ['client tools', { clientTools: [{ name: 'local', description: '', parameters: {} }] }],
  ] as const)('shows changed %s at once', (_what, changed) => {
    const texts = new SessionTexts(AGENTS)
    const view = viewOf(1)
    texts.of(view)
    const after = { ...view, ...changed } as unknown as SessionView
    expect(texts.of(after)).toBe(encoded(after))
    expect(texts.of(view)).toBe(encoded(view))
  })

  it('does not confuse sessions, nor after it has dropped what it kept', () => {
    const texts = new SessionTexts(AGENTS)
    for (let index = 0; index < 2_500; index++) expect(texts.of(viewOf(index))).toBe(encoded(viewOf(index)))
  })
})
