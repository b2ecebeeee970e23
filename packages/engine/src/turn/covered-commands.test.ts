import {
  createFakeTool,
  createMemoryRuleStore,
  calls,
  finishes,
  grant,
  says,
  startSession,
  type TestSession,
} from '@polylogue/testkit'
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

const preset = { access: { type: 'preset' }, preset: 'workspace-write' } as const

/** Answers the first command with *always allow*, then runs the others. Returns those that were asked about. */
async function askedAfter(first: string, offer: string | undefined, others: readonly string[]) {
  const tool = bash()
  const test = await startSession({ tools: [tool] }, preset)
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
  it('acp finding 9: covers exactly that command when nothing wider was chosen', async () => {
    const others = ['npm --version', 'npm test', 'git push --force']
    expect((await askedAfter('npm --version', undefined, others)).asked).toEqual(['npm test', 'git push --force'])
  })

  it('covers any arguments when that was chosen', async () => {
    const others = ['npm test -- -t a', 'npm --version', 'git push']
    expect((await askedAfter('npm test', 'program', others)).asked).toEqual(['npm --version', 'git push'])
  })

  it('acp finding 9: never covers a dangerous command by a wider choice', async () => {
    expect((await askedAfter('git push', 'program', ['git push --force'])).asked).toEqual(['git push --force'])
    const others = ['npm test', 'git push', 'git push --force']
    expect((await askedAfter('npm --version', 'tool', others)).asked).toEqual(['git push --force'])
  })

  it('covers a dangerous command only literally', async () => {
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

/** Whether the command is asked about. The answer is the offer, or a grant for this once. */
async function isAsked(test: TestSession, command: string, offer?: string): Promise<boolean> {
  const id = `c${(await test.events()).length}`
  test.model.push([calls(id, 'Bash', { command }), finishes('tool-calls')], [says('ok'), finishes()])
  await test.say('go')
  await test.untilRest()
  if ((await test.view()).waitingCalls.length === 0) return false
  await test.answer({ ...grant(id), ...(offer !== undefined && { scope: 'session', offer }) } as CallAnswer)
  await test.untilRest()
  return true
}

describe('always allow in this project', () => {
  const open = (rules = createMemoryRuleStore(), directory?: string) =>
    startSession(
      { tools: [bash()], rules },
      { ...preset, ...(directory !== undefined && { directories: [directory, '/further'] }) },
    )

  it('covers later sessions in the same directory, and no dangerous command', async () => {
    const rules = createMemoryRuleStore()
    const first = await open(rules, '/repo')
    expect(await isAsked(first, 'git push', 'tool-project')).toBe(true)
    const later = await open(rules, '/repo')
    expect(await isAsked(later, 'git push')).toBe(false)
    expect(await isAsked(later, 'npm --version')).toBe(false)
    expect(await isAsked(later, 'git push --force')).toBe(true)
  })

  it.each([['/elsewhere'], ['/repo/sub'], ['/further'], [undefined]])(
    'does not cover a session in %s',
    async (place) => {
      const rules = createMemoryRuleStore()
      await isAsked(await open(rules, '/repo'), 'npm test', 'program-project')
      expect(await isAsked(await open(rules, '/repo'), 'npm test -- -t a')).toBe(false)
      expect(await isAsked(await open(rules, place), 'npm test')).toBe(true)
    },
  )

  it('is one rule of the user that is listed, and asks again once the rule is removed', async () => {
    const rules = createMemoryRuleStore()
    const first = await open(rules, '/repo')
    await isAsked(first, 'npm test', 'program-project')
    // A session that does not know the rule gives the same answer.
    const test = await open(rules, '/repo')
    expect(await isAsked(test, 'npm --version', 'call-project')).toBe(true)
    const { userId } = await test.view()
    const stored = await rules.listRules(userId)
    expect(stored.map(({ rule }) => rule)).toEqual([
      {
        tool: 'Bash',
        action: 'allow',
        kept: {
          project: '/repo',
          covers: 'Bash:program:npm test',
          label: 'Always allow `npm test` with any arguments in this project',
        },
      },
      {
        tool: 'Bash',
        action: 'allow',
        kept: {
          project: '/repo',
          covers: 'Bash:call:npm --version',
          label: 'Always allow `npm --version` in this project',
        },
      },
    ])
    await rules.removeRule(userId, stored[0]?.ruleId ?? '')
    expect(await isAsked(await open(rules, '/repo'), 'npm test')).toBe(true)
  })

  it('keeps nothing for a denial, for a scope of one call, or for an offer that was not made', async () => {
    const rules = createMemoryRuleStore()
    const test = await open(rules, '/repo')
    await isAsked(test, 'git push --force', 'call-project')
    test.model.push([calls('d', 'Bash', { command: 'npm test' }), finishes('tool-calls')], [says('ok'), finishes()])
    await test.say('go')
    await test.untilRest()
    await test.answer({ ...grant('d'), granted: false, scope: 'session', offer: 'call-project' } as CallAnswer)
    await test.untilRest()
    expect(await rules.listRules((await test.view()).userId)).toEqual([])
  })
})
