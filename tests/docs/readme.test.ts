import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { tryConfigOf } from './config-in-page.ts'
import { type ShellRun, runDocumentedCommands } from './documented-shell.ts'
import type { FencedBlock } from './markdown.ts'
import { ROOT, readRepositoryPage } from './repository-pages.ts'
import { toPattern } from './shown-output.ts'

const readme = readRepositoryPage('README.md')
const MARKS = ['banner', 'server', 'run', 'output', 'config']

const isMarked = ({ words }: FencedBlock, mark: string) => words[1] === mark
const marked = (mark: string) => readme.blocks.filter((block) => isMarked(block, mark))

/** Each block of commands with the output that is shown right after it, if any. */
const steps = marked('run').map((block) => {
  const next = readme.blocks[readme.blocks.indexOf(block) + 1]
  return { line: block.line, command: block.text, shown: next && isMarked(next, 'output') ? next.text : '' }
})

describe('the commands in README.md', () => {
  let run: ShellRun
  beforeAll(async () => {
    const serverFlags = marked('server').map(({ text }) => text.replace(/^npm start --/, ''))
    run = await runDocumentedCommands({
      serverFlags: serverFlags.join(' '),
      commands: steps.map((step) => step.command),
    })
  }, 150_000)

  it('are there, and so is what they print', () => {
    expect(steps.length).toBeGreaterThan(5)
    expect(marked('output')).toHaveLength(steps.filter(({ shown }) => shown !== '').length)
  })

  it('greet a newcomer as it is shown', () => {
    expect(marked('banner')).toHaveLength(1)
    expect(run.banner.trim()).toMatch(toPattern(marked('banner')[0]?.text ?? ''))
  })

  it.each(steps.map((step, index) => ({ ...step, index })))('print what is shown, line $line', ({ index, shown }) => {
    expect(run.outputs[index]?.trim()).toMatch(toPattern(shown))
  })
})

describe('README.md', () => {
  it('shows an agent that works when it is copied', async () => {
    const agent = { name: 'gambler', tools: [{ name: 'roll_dice', trust: true }] }
    expect(await tryConfigOf(readme, { agent, say: 'use roll_dice {"sides": 6}' })).toMatchObject({
      stopReason: 'end_turn',
      messages: [{ role: 'assistant' }, { role: 'tool', content: expect.stringMatching(/^You rolled [1-6]\.$/) }, {}],
    })
  })

  it('lists every verb of the command line, and no other', () => {
    const help = execFileSync(join(ROOT, 'polylogue'), ['--help'], { encoding: 'utf8' })
    const offered = [
      ...(/^Commands:\n(?<list>(?: .*\n)+)/m.exec(help)?.groups?.['list'] ?? '').matchAll(/^ {2}(\w+)/gm),
    ]
    const listed = readme.codeSpans.flatMap((code) => /^\.\/polylogue (\w+)/.exec(code)?.[1] ?? [])
    const verbs = offered.map(([, verb]) => verb).filter((verb) => verb !== 'help')
    expect([...new Set(listed)].sort()).toEqual(verbs.sort())
  })
})

describe('README.zh.md', () => {
  it('has the commands and outputs of README.md, which are tried above', () => {
    const blocksOf = (blocks: readonly FencedBlock[]) =>
      blocks.filter(({ words }) => MARKS.includes(words[1] ?? '')).map(({ words, text }) => ({ words, text }))
    expect(blocksOf(readRepositoryPage('README.zh.md').blocks)).toEqual(blocksOf(readme.blocks))
  })
})
