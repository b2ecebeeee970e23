import { createFakeParts, loadAcpFrameChecker } from '@polylogue/testkit'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { usingWorlds } from '../test-support/using-worlds.ts'
import { LineSplitter } from './line-splitter.ts'

const open = usingWorlds(() => ({ ...createFakeParts(), check: loadAcpFrameChecker }))

describe('very many lines in one piece of input', () => {
  it('let others have their turn in between, and are all answered', async () => {
    const { client } = await open().connect()
    const before = client.frames.length
    const sent = client.sendText('{}\n'.repeat(2_000))
    await setImmediate()
    expect(client.frames.length - before).toBeLessThan(1_000)
    await sent
    expect(await client.result('session/list', {})).toEqual({ sessions: [] })
    expect(client.frames.filter(({ error }) => error !== undefined)).toHaveLength(2_000)
  })

  it('are none where they are empty', () => {
    const lines = new LineSplitter(100)
    expect([...lines.push(Buffer.from('\n\n\na\n\nb'))]).toEqual(['a'])
    expect([...lines.push(Buffer.from('\n\n\n'))]).toEqual(['b'])
  })
})
