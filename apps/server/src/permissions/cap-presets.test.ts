import { asSessionId, asUserId, type Command, type Engine, type Preset } from '@polylogue/engine'
import { createTestEngine } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { createKeyOf } from '../test-support/ask-owner.ts'
import { exchange } from '../test-support/exchange.ts'
import { startServer } from '../test-support/start-server.ts'
import { capPresets, isAboveCeiling } from './cap-presets.ts'

const ANNA = asUserId('anna')
const LOCAL = asUserId('local')

/** What reaches the engine behind the cap. */
async function passed(command: Command, ceiling: Preset): Promise<Command> {
  const { engine } = createTestEngine()
  let seen: Command | undefined
  const spied: Engine = {
    ...engine,
    async execute<C extends Command>(given: C) {
      seen = given
      return engine.execute(given)
    },
  }
  await capPresets(spied, ceiling).execute(command)
  return seen ?? command
}

const create = (more: object): Command => ({
  type: 'create-session',
  userId: ANNA,
  agent: 'tester',
  access: { type: 'preset' },
  ...more,
})

describe('the ceiling', () => {
  it('is higher from read-only over plan and workspace-write to full-access', () => {
    const above = (ceiling: Preset) =>
      (['read-only', 'plan', 'workspace-write', 'full-access'] as const).filter((preset) =>
        isAboveCeiling(preset, ANNA, ceiling),
      )
    expect(above('read-only')).toEqual(['plan', 'workspace-write', 'full-access'])
    expect(above('plan')).toEqual(['workspace-write', 'full-access'])
    expect(above('workspace-write')).toEqual(['full-access'])
    expect(above('full-access')).toEqual([])
  })

  it('refuses a preset above it, to everybody but the user local', async () => {
    const command = create({ preset: 'full-access' })
    await expect(passed(command, 'workspace-write')).rejects.toMatchObject({ code: 'invalid-input', field: 'preset' })
    expect(await passed({ ...command, userId: LOCAL }, 'workspace-write')).toMatchObject({ preset: 'full-access' })
  })

  it('refuses it in changes of a session too', async () => {
    const change: Command = {
      type: 'start-turn',
      userId: ANNA,
      sessionId: asSessionId('0198c0de-7a11-7000-8000-000000000000'),
      content: 'hi',
      changes: { preset: 'full-access' },
      whenRunning: 'refuse',
    }
    await expect(passed(change, 'workspace-write')).rejects.toMatchObject({ field: 'preset' })
  })

  it('is what a session gets that would otherwise get more by default', async () => {
    expect(await passed(create({}), 'read-only')).toMatchObject({ preset: 'read-only' })
    expect(await passed(create({}), 'workspace-write')).not.toHaveProperty('preset')
    expect(await passed(create({ userId: LOCAL }), 'read-only')).not.toHaveProperty('preset')
  })

  it('holds at the beginning and at the end of planning', async () => {
    const { engine, user } = createTestEngine()
    const start = (preset: Preset) =>
      engine.execute({ type: 'create-session', userId: user, agent: 'tester', access: { type: 'preset' }, preset })
    const plan = async (ceiling: Preset, from: Preset, planning: boolean) => {
      const { sessionId } = await start(from)
      await capPresets(engine, ceiling).execute({
        type: 'configure-session',
        userId: user,
        sessionId,
        changes: { planning },
      })
      return (await engine.readSession(user, sessionId)).preset
    }
    await expect(plan('read-only', 'read-only', true)).rejects.toMatchObject({ field: 'preset' })
    expect(await plan('plan', 'read-only', true)).toBe('plan')
    expect(await plan('plan', 'plan', false)).toBe('read-only')
    expect(await plan('workspace-write', 'plan', false)).toBe('workspace-write')
  })

  it('holds at the routes of a server', async () => {
    const server = await startServer()
    const anna = await createKeyOf('anna', server.dataDir)
    const make = (preset: Preset, key: string) =>
      exchange(`${server.url}/api/polylogue/sessions`, {
        headers: { authorization: `Bearer ${key}` },
        body: { preset },
      })
    expect(await make('full-access', anna.key)).toMatchObject({
      status: 403,
      body: { error: 'preset: full-access is above the ceiling, workspace-write.' },
    })
    expect((await make('plan', anna.key)).status).toBe(201)
    expect((await make('full-access', server.localKey)).status).toBe(201)
  })
})
