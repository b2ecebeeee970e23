import { createFakeParts, loadAcpFrameChecker } from '@polylogue/testkit'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { usingWorlds } from '../test-support/using-worlds.ts'

const open = usingWorlds(() => ({ ...createFakeParts(), check: loadAcpFrameChecker }))

describe('very many lines in one piece of input', () => {
  it('let other work run in between, and are all answered', async () => {
    const { client } = await open().connect()
    const before = client.frames.length
    const sent = client.sendText('{}\n'.repeat(2_000))
    await setImmediate()
    expect(client.frames.length - before).toBeLessThan(1_000)
    await sent
    expect(await client.result('session/list', {})).toEqual({ sessions: [] })
    expect(client.frames.filter(({ error }) => error !== undefined)).toHaveLength(2_000)
  })

  it('let other work run in between even if they are empty', async () => {
    const { client } = await open().connect()
    let turns = 0
    let isDone = false
    const count = async (): Promise<void> => {
      while (!isDone) {
        await setImmediate()
        turns += 1
      }
    }
    const counted = count()
    await client.sendText('\n'.repeat(1_000_000))
    expect(await client.result('session/list', {})).toEqual({ sessions: [] })
    isDone = true
    await counted
    expect(turns).toBeGreaterThan(50)
  })
})
