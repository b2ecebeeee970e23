import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tryConfigOf } from './config-in-page.ts'
import { ROOT, readRepositoryPage } from './repository-pages.ts'

const page = readRepositoryPage('docs/guide/agents.md')

describe('the guide to agents', () => {
  it.each(['define-agent.ts', 'define-config.ts'])('names every setting in %s', (file) => {
    const source = readFileSync(join(ROOT, 'apps/server/src/config', file), 'utf8')
    const settings = [...source.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, name]) => name)
    expect(settings.length).toBeGreaterThan(5)
    expect(settings.filter((name) => name !== undefined && !page.codeSpans.includes(name))).toEqual([])
  })

  it('shows a model that works when it is copied', async () => {
    const answer = await tryConfigOf(page, { agent: { name: 'parrot' }, say: 'Hello there, Polly' })
    expect(answer).toMatchObject({
      stopReason: 'end_turn',
      messages: [{ role: 'assistant', content: [{ type: 'text', text: 'Hello there, Polly' }] }],
    })
  })
})
