import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tryConfigOf } from './config-in-page.ts'
import { ROOT, readRepositoryPage } from './repository-pages.ts'

const readme = readRepositoryPage('README.md')
const translated = readRepositoryPage('README.zh.md')

const MANY_VERBS = /^\.\/polylogue (\w+) (\w+(?:\\?\|\w+)+)$/

/** What `--help` offers. */
function verbsOf(words: readonly string[]): readonly string[] {
  const help = execFileSync(join(ROOT, 'polylogue'), [...words, '--help'], { encoding: 'utf8' })
  const list = /^Commands:\n(?<list>(?: .*\n)+)/m.exec(help)?.groups?.['list'] ?? ''
  return [...list.matchAll(/^ {2}(\w+)/gm)].flatMap(([, verb = '']) => (verb === 'help' ? [] : [verb])).sort()
}

describe('README.md', () => {
  it('shows an agent that works when it is copied', async () => {
    const agent = { name: 'gambler', tools: [{ name: 'roll_dice', trust: true }] }
    expect(await tryConfigOf(readme, { agent, say: 'use roll_dice {"sides": 6}' })).toMatchObject({
      stopReason: 'end_turn',
      messages: [{ role: 'assistant' }, { role: 'tool', content: expect.stringMatching(/^You rolled [1-6]\.$/) }, {}],
    })
  })

  it('lists every verb of the command line, and no other', () => {
    const listed = readme.codeSpans.flatMap((code) => /^\.\/polylogue (\w+)/.exec(code)?.[1] ?? [])
    expect([...new Set(listed)].sort()).toEqual(verbsOf([]))
  })

  it.each(readme.codeSpans.filter((code) => MANY_VERBS.test(code)))('lists everything that %s can do', (code) => {
    const [, verb = '', listed = ''] = MANY_VERBS.exec(code) ?? []
    expect(listed.split(/\\?\|/).sort()).toEqual(verbsOf([verb]))
  })
})

/** The guide is translated, so the translation links to its translation. */
const toOriginal = (target: string): string => target.replace('docs/zh/', 'docs/')

describe('README.zh.md', () => {
  it('shows the configuration of README.md, which is tried above', () => {
    const configs = ({ blocks }: typeof readme) => blocks.filter(({ words }) => words[1] === 'config')
    expect(configs(translated).map(({ text }) => text)).toEqual(configs(readme).map(({ text }) => text))
  })

  it('has the sections, links and commands of README.md', () => {
    const withoutLanguage = (targets: readonly string[]) =>
      [...new Set(targets.filter((target) => !target.startsWith('README')).map(toOriginal))].sort()
    expect(withoutLanguage(translated.targets)).toEqual(withoutLanguage(readme.targets))
    expect(translated.anchors.size).toBe(readme.anchors.size)
    const commands = ({ codeSpans }: typeof readme) => codeSpans.filter((code) => code.startsWith('./polylogue'))
    expect(commands(translated)).toEqual(commands(readme))
  })
})
