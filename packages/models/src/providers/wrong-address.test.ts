import { createFakeClock } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { createSetUp } from './test-support/ask.ts'
import { startFakeProvider } from './test-support/fake-provider.ts'
import { WIRES } from './test-support/wires.ts'

const setUp = createSetUp(createFakeClock)

const PAGE = { headers: { 'content-type': 'text/html; charset=utf-8' }, chunks: ['<!doctype html><p>Hello</p>'] }
const HINT = 'Its base URL may be wrong, or lack a path such as /v1.'

describe.each(WIRES)('a provider of kind $kind whose address is wrong', (wire) => {
  it.each([301, 302, 307, 308])('is asked once when it redirects with %i, and the sentence says so', async (status) => {
    await using setup = await setUp(wire)
    const elsewhere = await startFakeProvider(wire)
    setup.provider.push({ status, headers: { location: `${elsewhere.baseUrl}${wire.path}` }, chunks: ['moved'] })
    const message = `The provider test redirects requests elsewhere (HTTP ${status}). ${HINT}`
    expect(await setup.ask('hi')).toEqual([{ type: 'failed', error: { code: 'model-error', message } }])
    expect(setup.provider.requests).toHaveLength(1)
    expect(elsewhere.requests).toEqual([])
    await elsewhere.stop()
  })

  it('is asked once when it answers with a web page, and the sentence says so', async () => {
    await using setup = await setUp(wire)
    setup.provider.push(PAGE)
    const message = `The provider test answered with a web page. ${HINT}`
    expect(await setup.ask('hi')).toEqual([{ type: 'failed', error: { code: 'model-error', message } }])
    expect(setup.provider.requests).toHaveLength(1)
  })
})
