import { afterEach, beforeEach, expect, it } from 'vitest'
import { type AcpWorld, createAcpWorld } from './support/acp-world.ts'
import { openAcpSession } from './support/acp-session.ts'
import { sendMalformed } from './support/send-malformed.ts'

let world: AcpWorld
beforeEach(async () => {
  world = await createAcpWorld()
})
afterEach(() => world.close())

it.each(['alone', 'pipe'] as const)(
  'B1: five hundred malformed frames are refused and change nothing, %s',
  async (way) => {
    const server = way === 'pipe' ? await world.serve() : undefined
    const acp = await world.start()
    expect(await sendMalformed(acp, 'oak', 500)).toEqual([])
    const session = await openAcpSession(acp, world.workDir)
    expect(await session.prompt('say still here')).toMatchObject({ stopReason: 'end_turn' })
    expect(server?.output ?? '').not.toContain('"level":50')
  },
)

it('B1: an endless line is cut off at 32 MiB, and its sender is disconnected', async () => {
  const server = await world.serve()
  const acp = await world.start()
  await openAcpSession(acp, world.workDir)
  const mebibyte = Buffer.alloc(1024 * 1024, 0x20)
  for (let sent = 0; sent < 34; sent++) acp.write(mebibyte)
  expect(await acp.exited).toEqual({ code: 0, signal: null })
  expect(acp.stderr).toContain('A line is longer than')
  const next = await world.start()
  expect(await (await openAcpSession(next, world.workDir)).prompt('say fine')).toMatchObject({ stopReason: 'end_turn' })
  expect(server.output).not.toContain('"level":50')
})
