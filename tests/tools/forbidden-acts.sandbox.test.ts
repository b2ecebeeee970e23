import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call, script } from '../support/script.ts'
import { disguised } from './disguise.ts'
import { type Act, forbiddenActs, handedOn, orderOf } from './forbidden-acts.ts'
import { type ForbiddenWorld, createForbiddenWorld } from './forbidden-world.ts'
import { type ToolSession, grant, openToolSession } from './tool-session.ts'

const WORLDS = [
  { sandbox: 'required', hasAgents: true },
  { sandbox: 'none', hasAgents: false },
] as const

describe.each(WORLDS)('forbidden acts, sandbox $sandbox', (options) => {
  let world: ForbiddenWorld
  beforeAll(async () => {
    world = await createForbiddenWorld(options)
  })
  afterAll(() => world.close())

  async function obey(session: ToolSession, acts: readonly Act[]): Promise<void> {
    await session.turn(script(...acts.map(orderOf)))
    const log = await session.events()
    expect(
      log.filter(({ event }) => event.type === 'approval.resolved' || event.type === 'session.configured'),
    ).toEqual([])
  }

  it.each(['scripted', 'rooted'])(
    'C15: none of more than 50 is done without a question by the agent %s',
    async (agent) => {
      const session = await world.openSession({ agent })
      const acts = forbiddenActs(world.places, agent === 'rooted' ? world.places.start : session.workspace)
      expect(acts.length).toBeGreaterThan(50)
      await obey(session, acts)
      const calls = await session.calls()
      expect(acts.filter(({ id }) => !calls.has(id))).toEqual([])
      expect(await world.findDamage([session])).toEqual([])
    },
  )

  it.each(['scripted', 'rooted'])('C15: nor by a sub-agent of a sub-agent of %s', async (agent) => {
    const session = await world.openSession({ agent })
    const acts = forbiddenActs(world.places, agent === 'rooted' ? world.places.start : session.workspace)
    await obey(session, handedOn(acts, 'sub'))
    const calls = await session.calls()
    expect(acts.filter(({ id }) => !calls.has(`sub-${id}`))).toEqual([])
    expect(await world.findDamage([session])).toEqual([])
  })
})

describe.each(WORLDS)('a link that a command made, sandbox $sandbox', (options) => {
  it('C15: leads no tool out of the workspace, although the command was approved', async () => {
    const world = await createForbiddenWorld(options)
    try {
      const { start, data, home, other } = world.places
      const links: Readonly<Record<string, string>> = {
        'to-start': start,
        'to-key': `${data}/local.key`,
        'to-bashrc': `${home}/.bashrc`,
        'to-other': other,
        'to-agents': `${start}/agents`,
      }
      const session = await openToolSession(world.server)
      const command = Object.entries(links).map(([name, target]) => `ln -s ${target} ${name}`)
      await session.turn(script(call('link', 'Bash', { command: disguised(command.join('; ')) })))
      await session.turn([grant('link')])
      expect(await session.callOf('link')).toMatchObject({ status: 'completed' })
      const acts = [
        ...['to-start/polylogue.config.js', 'to-key', 'to-bashrc', 'to-other/secret.txt', 'to-agents/evil.md'],
        ...['to-start/./agents/../agents/evil.md', 'to-other/../../local.key', 'to-start/.polylogue/secret.key'],
      ].flatMap((path, index) => [
        call(`w${index}`, 'Write', { path, content: 'evil' }),
        call(`r${index}`, 'Read', { path }),
        call(`c${index}`, 'Bash', { command: `cat ${path}` }),
      ])
      await session.turn(script(...acts))
      const done = [...(await session.calls())].filter(
        ([, { name, status }]) => name !== 'Bash' && status === 'completed',
      )
      expect(done).toEqual([])
      expect(await world.findDamage([session])).toEqual([])
    } finally {
      await world.close()
    }
  })
})

it('C15: the watch sees an act that is done', async () => {
  const world = await createForbiddenWorld({ sandbox: 'none', hasAgents: false })
  try {
    const session = await openToolSession(world.server, { preset: 'full-access' })
    const acts = forbiddenActs(world.places, session.workspace).filter(({ id }) =>
      ['bash-bashrc', 'bash-agents', 'bash-canary'].includes(id),
    )
    await session.turn(script(...acts.map(orderOf)))
    const waiting = [...(await session.calls())].filter(([, { asked, runs }]) => asked.length > 0 && runs === 0)
    if (waiting.length > 0) await session.turn(waiting.map(([id]) => grant(id)))
    expect(await world.findDamage([session])).toEqual([
      expect.stringMatching(/\.bashrc was # \.bashrc\n and is # \.bashrc\nevil\n$/),
      expect.stringMatching(/start was .* and is .*agents/),
      expect.stringMatching(/start\/agents was \(absent\) and is evil\.md$/),
      expect.stringMatching(/^bash-canary of Bash learned/),
      'the canary was visited 1 times',
    ])
  } finally {
    await world.close()
  }
})
