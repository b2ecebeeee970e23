import { describe, expect, it } from 'vitest'
import { V3 } from '../support/aap-dialect.ts'
import { eventually } from '../support/eventually.ts'
import { chooseCases, suffer, sufferAll } from './provider-faults.ts'
import { findChatFault } from './support/chat-history.ts'
import { startProviderServer } from './support/provider-server.ts'

const SEED = process.env['POLYLOGUE_PROOF_SEED'] ?? 'willow'
/** The patience of the server, and some more. */
const CLOSED_WITHIN_MS = 1500 + 5000

describe(`a provider that does everything wrong (seed ${SEED})`, () => {
  it('costs a turn at most, never a session, and no connection', { timeout: 60_000 }, async () => {
    await using running = await startProviderServer()
    const { server, provider } = running
    const cases = chooseCases(30, SEED)
    const sufferings = await sufferAll(server.client(V3), provider, { cases, atATime: 10 })
    expect(sufferings.flatMap(({ complaints }) => complaints)).toEqual([])
    expect(provider.refused).toEqual([])
    const closings = sufferings.flatMap(({ closedAfterMs }) => closedAfterMs ?? [])
    expect(closings.length).toBeGreaterThan(5)
    expect(Math.max(...closings)).toBeLessThan(CLOSED_WITHIN_MS)
    await eventually(async () => (provider.openSockets === 0 ? true : undefined), 'no connection to the provider')
  })

  it('may send a call with ten megabytes of arguments', { timeout: 60_000 }, async () => {
    await using running = await startProviderServer()
    const huge = { kind: 'huge', number: 0, patience: 'waits' } as const
    expect((await suffer(running.server.client(V3), running.provider, huge)).complaints).toEqual([])
    expect(running.provider.refused).toEqual([])
  })
})

describe('what a provider refuses', () => {
  const asked = { role: 'user', content: 'x' } as const
  const calling = (...ids: readonly string[]) =>
    ({
      role: 'assistant',
      content: null,
      tool_calls: ids.map((id) => ({ id, function: { name: 'echo', arguments: '{}' } })),
    }) as const
  const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'y' }) as const

  it.each([
    ['a call without a result', [asked, calling('a'), asked], /before the results of a/],
    ['a call without a result at the end', [asked, calling('a')], /results of a are missing/],
    ['a result without a call', [asked, result('a')], /answers a, which is not due/],
    ['two results', [asked, calling('a'), result('a'), result('a')], /not due/],
    ['an id that is used twice', [asked, calling('a'), result('a'), calling('a'), result('a')], /used twice/],
    ['an empty answer', [asked, { role: 'assistant', content: '' } as const, asked], /is empty/],
  ])('is %s', (_, messages, problem) => {
    expect(findChatFault(messages)).toMatch(problem)
  })

  it('is not a history in order', () => {
    expect(findChatFault([asked, calling('a', 'b'), result('b'), result('a'), asked])).toBeUndefined()
  })
})
