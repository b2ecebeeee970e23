import type { CoverOffer } from '@polylogue/engine'
import { describe, expect, it } from 'vitest'
import { toOffersJson } from './encode-offers.ts'

const offer = (id: CoverOffer['id'], covers: string, project?: string): CoverOffer => ({
  id,
  label: `Always allow ${covers}`,
  covers,
  ...(project !== undefined && { project }),
})

describe('console 29: the offers of a call, in parts', () => {
  it('of a command: itself, its program and its tool, in the session and in the project', () => {
    const offers = [
      offer('call', 'Bash:call:f1'),
      offer('call-project', 'Bash:call:f1', '/work'),
      offer('program', 'Bash:program:git `log`'),
      offer('tool', 'Bash'),
      offer('tool-project', 'Bash', '/work'),
    ]
    const input = { command: 'git `log` --one' }
    expect(toOffersJson('Bash', input, offers).map(({ scope, what }) => ({ scope, ...what }))).toEqual([
      { scope: 'session', type: 'call', command: 'git `log` --one' },
      { scope: 'project', type: 'call', command: 'git `log` --one' },
      { scope: 'session', type: 'program', program: 'git `log`' },
      { scope: 'session', type: 'tool', tool: 'Bash', exceptDangerous: true },
      { scope: 'project', type: 'tool', tool: 'Bash', exceptDangerous: true },
    ])
  })

  it('of any other tool: all of its calls', () => {
    const [only] = toOffersJson('mcp__notes__add', { text: 'x' }, [offer('tool', 'mcp__notes__add@d1')])
    expect(only).toMatchObject({ id: 'tool', what: { type: 'tool', tool: 'mcp__notes__add', exceptDangerous: false } })
  })

  it('with the start of a long command, and without a command that is no text', () => {
    const [long] = toOffersJson('Bash', { command: `${'x'.repeat(199)}\u{1F600}y` }, [offer('call', 'Bash:call:f1')])
    expect(long?.what).toEqual({ type: 'call', command: `${'x'.repeat(199)}\ufffd…` })
    const [none] = toOffersJson('Bash', { command: 1 }, [offer('call', 'Bash:call:f1')])
    expect(none?.what).toEqual({ type: 'call', command: undefined })
  })
})
