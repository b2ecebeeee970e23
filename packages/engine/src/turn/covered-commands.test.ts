import { createFakeTool, calls, finishes, grant, says, startSession } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import type { CallAnswer, CallFacts } from '../index.ts'

const known: { readonly [command: string]: Partial<CallFacts> } = {
  'npm --version': {},
  'npm test': { program: 'npm test' },
  'npm test -- -t a': { program: 'npm test' },
  'git push': { program: 'git push' },
  'git push --force': { program: 'git push', isDestructive: true },
}

const bash = () =>
  createFakeTool('Bash', {
    effect: 'unsafe',
    inspect: async (input) => {
      const { command } = input as { readonly command: keyof typeof known }
      const shell = { type: 'shell', risk: 'other', isUnderstood: true, hasWrapper: false } as const
      return { facts: { ...shell, fingerprint: command, ...known[command] } as CallFacts }
    },
  })

/** Answers the first command with *always allow*, then runs the others. Returns those that were asked about. */
async function askedAfter(first: string, offer: string | undefined, others: readonly string[]) {
  const tool = bash()
  const test = await startSession({ tools: [tool] }, { access: { type: 'preset' }, preset: 'workspace-write' })
  const asked: string[] = []
  for (const [index, command] of [first, ...others].entries()) {
    const id = `c${index}`
    test.model.push([calls(id, 'Bash', { command }), finishes('tool-calls')], [says('ok'), finishes()])
    await test.say('go')
    await test.untilRest()
    const { waitingCalls } = await test.view()
    if (waitingCalls.length === 0) continue
    asked.push(command)
    const always = { ...grant(id), scope: 'session', ...(offer !== undefined && { offer }) } as CallAnswer
    await test.answer(index === 0 ? always : grant(id))
    await test.untilRest()
  }
  return { asked: asked.slice(1), events: await test.events() }
}

describe('always allow for a command', () => {
  it('covers exactly that command when nothing wider was chosen', async () => {
    const others = ['npm --version', 'npm test', 'git push --force']
    expect((await askedAfter('npm --version', undefined, others)).asked).toEqual(['npm test', 'git push --force'])
  })

  it('covers any arguments when that was chosen', async () => {
    const others = ['npm test -- -t a', 'npm --version', 'git push']
    expect((await askedAfter('npm test', 'program', others)).asked).toEqual(['npm --version', 'git push'])
  })

  it('never covers a dangerous command by a wider choice', async () => {
    expect((await askedAfter('git push', 'program', ['git push --force'])).asked).toEqual(['git push --force'])
    const others = ['npm test', 'git push', 'git push --force']
    expect((await askedAfter('npm --version', 'tool', others)).asked).toEqual(['git push --force'])
  })

  it('covers a dangerous command only as it is', async () => {
    const { asked, events } = await askedAfter('git push --force', undefined, ['git push --force', 'git push'])
    expect(asked).toEqual(['git push'])
    expect(events.find(({ type }) => type === 'approval.requested')).toMatchObject({
      offers: [{ id: 'call', covers: 'Bash:call:git push --force' }],
    })
  })

  it('is an approval of one call when the offer was never made', async () => {
    expect((await askedAfter('git push --force', 'tool', ['git push --force', 'npm test'])).asked).toEqual([
      'git push --force',
      'npm test',
    ])
  })
})
