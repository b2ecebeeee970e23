import { createFakeTool, deny, grant, restart, startSession } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import type { CallFacts, CreateSession, Tool } from '../index.ts'
import { asked, paying, settled, startWith } from './test-support/judged-session.ts'

const CAUSE = 'The sandbox stopped this command: it had no network.'
const SHELL = { type: 'shell', risk: 'other', isUnderstood: true, hasWrapper: false } as const

/** Fails in its sandbox, and works without one. */
const shell = (facts: Partial<CallFacts> = {}) =>
  createFakeTool('pay', {
    effect: 'unsafe',
    inspect: async () => ({ facts: { ...SHELL, ...facts } as CallFacts }),
    run: ({ grant: { call } }) =>
      call.place === 'outside'
        ? { content: 'worked outside' }
        : { content: `failed inside. ${CAUSE}`, isError: true, meta: { exitCode: 6 }, blocked: CAUSE },
  })

const operator = { denyRules: [], hosts: { allow: [], block: [] } }
const own = (user: string) => ({ operator: { ...operator, ownUser: user } })

async function startOwn(tool: Tool, create: Partial<CreateSession> = {}) {
  const { user } = await startSession({ tools: [] }, {})
  const test = await startWith([tool], own(user), { access: { type: 'preset' }, preset: 'workspace-write', ...create })
  test.model.push(paying('a', { command: 'x' }))
  await test.say('go')
  await test.untilRest()
  return test
}

describe('a call that its sandbox stopped', () => {
  it('is offered outside to the user who runs the server, with the cause', async () => {
    const tool = shell()
    const test = await startOwn(tool)
    await test.answer(grant('a'))
    await test.untilRest()
    const [first, second] = await asked(test)
    expect(second).toMatchObject({
      reason: `run-outside:${CAUSE}`,
      isCoverable: false,
      offers: [],
      failed: { meta: { exitCode: 6 } },
    })
    expect(second?.callHash).not.toBe(first?.callHash)
    const [waiting] = await test.engine.readWaiting(test.user, test.sessionId)
    expect(waiting?.sentence).toBe(
      `The agent asks to run pay again, outside of the sandbox. ${CAUSE} If you allow it, the same command runs again without the sandbox, with all your rights.`,
    )
    await test.answer(grant('a'))
    await test.untilRest()
    expect(settled(await test.events())).toEqual(['a completed: worked outside'])
    expect(tool.invocations.map((one) => one.grant.call.place)).toEqual([undefined, 'outside'])
  })

  it('keeps its failed result when the answer is no', async () => {
    const tool = shell()
    const test = await startOwn(tool)
    await test.answer(grant('a'))
    await test.untilRest()
    await test.answer(deny('a', 'not now'))
    await test.untilRest()
    expect(settled(await test.events())).toEqual([`a failed: failed inside. ${CAUSE}`])
    expect(tool.invocations).toHaveLength(1)
  })

  it('keeps it when the turn is cancelled instead', async () => {
    const test = await startOwn(shell())
    await test.answer(grant('a'))
    await test.untilRest()
    await test.engine.execute({
      type: 'cancel-turn',
      userId: test.user,
      sessionId: test.sessionId,
      reason: 'enough',
      dropQueue: false,
    })
    await test.untilRest()
    expect(settled(await test.events())).toEqual([`a cancelled: failed inside. ${CAUSE}`])
  })

  it('waits through a restart, and an approval of it is no approval of anything else', async () => {
    const tool = shell()
    const first = await startOwn(tool)
    await first.answer(grant('a'))
    await first.untilRest()
    const second = await restart(first, { tools: [tool], ...own(first.user) })
    await second.engine.execute({
      type: 'configure-session',
      userId: second.user,
      sessionId: second.sessionId,
      changes: { preset: 'full-access' },
    })
    await second.answer(grant('a'))
    await second.untilRest()
    expect(settled(await second.events())).toEqual([`a failed: failed inside. ${CAUSE}`])
    expect(tool.invocations.map((one) => one.grant.call.place)).toEqual([undefined])
  })

  it.each<[string, Partial<CreateSession>, boolean]>([
    ['to another user', {}, false],
    ['in full-access, which never asks', { preset: 'full-access' }, true],
    ['to a client that lists its tools', { access: { type: 'listed', tools: [{ name: 'pay', trust: false }] } }, true],
  ])('is not offered outside %s', async (_to, create, isOwn) => {
    const tool = shell()
    const { user } = await startSession({ tools: [] }, {})
    const test = await startWith([tool], own(isOwn ? user : 'somebody else'), {
      access: { type: 'preset' },
      preset: 'workspace-write',
      ...create,
    })
    test.model.push(paying('a', { command: 'x' }))
    await test.say('go')
    await test.untilRest()
    if ((await asked(test)).length > 0) {
      await test.answer(grant('a'))
      await test.untilRest()
    }
    expect((await asked(test)).filter(({ failed }) => failed !== undefined)).toEqual([])
    expect(settled(await test.events())).toEqual([`a failed: failed inside. ${CAUSE}`])
  })
})

describe('the network', () => {
  const NETWORK = { network: ['registry.npmjs.org'] }

  it('is part of what an approval asks for, and of the grant', async () => {
    const tool = shell(NETWORK)
    const test = await startOwn(tool)
    expect(await asked(test)).toMatchObject([NETWORK])
    const [waiting] = await test.engine.readWaiting(test.user, test.sessionId)
    expect(waiting?.sentence).toContain('With network: registry.npmjs.org.')
    await test.answer(grant('a'))
    await test.untilRest()
    expect(tool.invocations[0]?.grant.call).toMatchObject({ network: true })
  })

  it('is not given to others by default, and the question does not promise it', async () => {
    const tool = shell(NETWORK)
    const test = await startWith([tool], own('somebody else'))
    test.model.push(paying('a', { command: 'x' }))
    await test.say('go')
    await test.untilRest()
    expect((await asked(test))[0]).not.toHaveProperty('network')
    await test.answer(grant('a'))
    await test.untilRest()
    expect(tool.invocations[0]?.grant.call).not.toHaveProperty('network')
  })

  it('is not opened by a rule about the whole tool, but by one about its commands', async () => {
    for (const [args, isAsked] of [
      [undefined, true],
      [{ command: '^x$' }, false],
    ] as const) {
      const rule = { tool: 'pay', action: 'allow', ...(args && { args }) } as const
      const listRules = async () => [{ ruleId: 'rule_1', rule, createdAt: 0 }]
      const tool = shell(NETWORK)
      const { user } = await startSession({ tools: [] }, {})
      const test = await startWith([tool], {
        ...own(user),
        rules: { listRules, bindRule: async () => undefined, addRule: async () => undefined },
      })
      test.model.push(paying('a', { command: 'x' }))
      await test.say('go')
      await test.untilRest()
      expect((await asked(test)).some(({ reason }) => reason === 'more-access:pay')).toBe(isAsked)
      expect(tool.invocations.map((one) => one.grant.call.network)).toEqual(isAsked ? [] : [true])
    }
  })
})
