import { beforeAll, describe, expect, it } from 'vitest'
import { type ShellRun, runDocumentedCommands } from './documented-shell.ts'
import type { FencedBlock } from './markdown.ts'
import { readRepositoryPage } from './repository-pages.ts'
import { toPattern } from './shown-output.ts'

const tour = readRepositoryPage('docs/tour.md')

const isMarked = ({ words }: FencedBlock, mark: string) => words[1] === mark
const marked = (mark: string) => tour.blocks.filter((block) => isMarked(block, mark))

/** Each block of commands, with the output that the page shows right after it. */
const steps = marked('run').map((block) => {
  const next = tour.blocks[tour.blocks.indexOf(block) + 1]
  return { line: block.line, command: block.text, shown: next && isMarked(next, 'output') ? next.text : '' }
})

describe('the commands of the tour', () => {
  let run: ShellRun
  beforeAll(async () => {
    const serverFlags = marked('server').map(({ text }) => text.replace(/^npm start --/, ''))
    run = await runDocumentedCommands({
      serverFlags: serverFlags.join(' '),
      commands: steps.map((step) => step.command),
    })
  }, 150_000)

  it('exist, with the output that they print', () => {
    expect(steps.length).toBeGreaterThan(5)
    expect(marked('output')).toHaveLength(steps.filter(({ shown }) => shown !== '').length)
  })

  it('follow the banner that the server prints', () => {
    expect(marked('banner')).toHaveLength(1)
    expect(run.banner.trim()).toMatch(toPattern(marked('banner')[0]?.text ?? ''))
  })

  it.each(steps.map((step, index) => ({ ...step, index })))('print what is shown, line $line', ({ index, shown }) => {
    expect(run.outputs[index]?.trim()).toMatch(toPattern(shown))
  })
})
