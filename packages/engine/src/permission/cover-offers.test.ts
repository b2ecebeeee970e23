import { describe, expect, it } from 'vitest'
import type { CallFacts } from '../index.ts'
import { chooseOffer, coverOffers } from './cover-offers.ts'

const shell = (more: object = {}): CallFacts => ({
  type: 'shell',
  risk: 'other',
  isUnderstood: true,
  hasWrapper: false,
  fingerprint: 'f00',
  ...more,
})
const offersOf = (facts: CallFacts, command = 'npm test -- -t a', project?: string) =>
  coverOffers({ tool: { name: 'Bash' }, input: { description: 'x', command }, facts, project })

describe('what always allow can cover', () => {
  it('is the exact command, the command with any arguments, then the tool', () => {
    expect(offersOf(shell({ program: 'npm test' }))).toEqual([
      { id: 'call', label: 'Always allow `npm test -- -t a` in this session', covers: 'Bash:call:f00' },
      {
        id: 'program',
        label: 'Always allow `npm test` with any arguments in this session',
        covers: 'Bash:program:npm test',
      },
      { id: 'tool', label: 'Always allow Bash, except dangerous commands, in this session', covers: 'Bash' },
    ])
  })

  it('is each of them in this session and in this project if the session works in a directory of its client', () => {
    const offers = offersOf(shell({ program: 'npm test' }), 'npm test', '/repo')
    expect(offers.map(({ id }) => id)).toEqual([
      ...['call', 'call-project', 'program', 'program-project'],
      ...['tool', 'tool-project'],
    ])
    expect(offers[3]).toEqual({
      id: 'program-project',
      label: 'Always allow `npm test` with any arguments in this project',
      covers: 'Bash:program:npm test',
      project: '/repo',
    })
  })

  it.each([undefined, '/repo'])('is only the exact command in this session if it is destructive (%s)', (project) => {
    const facts = shell({ program: 'git push', isDestructive: true })
    expect(offersOf(facts, 'git push --force', project).map(({ id }) => id)).toEqual(['call'])
  })

  it('is the tool for a call that is no command, bound to the definition of a third party', () => {
    const tool = { name: 'pay', definition: 'd1' }
    expect(coverOffers({ tool, input: {}, facts: { type: 'plain' } })).toEqual([
      { id: 'tool', label: 'Always allow pay in this session', covers: 'pay@d1' },
    ])
  })

  it('shows a command without hidden characters, and cuts a long one', () => {
    expect(offersOf(shell(), 'a\n\u202eb')[0]?.label).toBe('Always allow `a\\n\\u202eb` in this session')
    expect(offersOf(shell(), 'x'.repeat(500))[0]?.label.length).toBeLessThan(260)
  })

  it('is the narrowest without a choice, and nothing for an offer that was not made', () => {
    const offers = offersOf(shell({ program: 'npm test' }))
    expect(chooseOffer(offers, undefined)?.id).toBe('call')
    expect(chooseOffer(offers, 'program')?.id).toBe('program')
    expect(chooseOffer(offers, 'everything')).toBeUndefined()
  })
})
