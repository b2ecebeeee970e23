import type { McpHold } from '@polylogue/tools'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { callTool, createMcpWorld, type McpWorld, problemOf } from './mcp-world.ts'
import { type HttpFault, type MisbehavingHttp, startMisbehavingHttp } from './misbehaving-http.ts'

const ECHO = 'mcp_web_echo'
let world: McpWorld
let elsewhere: MisbehavingHttp
let server: MisbehavingHttp
let held: McpHold

beforeEach(async () => {
  world = await createMcpWorld()
  elsewhere = await startMisbehavingHttp()
  server = await startMisbehavingHttp(elsewhere.url)
  held = world.pool.hold([serverAt(server.url)])
  await held.settled()
})
afterEach(async () => {
  await world.end()
  await server.close()
  await elsewhere.close()
})

const serverAt = (url: string, deadlineMs = 20_000) => ({
  name: 'web',
  reach: { type: 'http', url, headers: { 'x-key': 's3cr3t-key' } } as const,
  trusted: false,
  deadlineMs,
})

describe('a server over HTTP', () => {
  it.each(['well', 'stream', 'only-returns'] as const)('answers, as %s', async (fault) => {
    server.fault = fault
    expect(await callTool(held, ECHO, { msg: 'hello' })).toEqual({ content: 'hello' })
    expect(new Set(server.keys)).toEqual(new Set(['s3cr3t-key']))
  })

  it.each<[HttpFault, RegExp]>([
    ['error-status', /^MCP server web: .*500.* Whether the call had an effect is unknown\.$/],
    ['cut', /^MCP server web: it ended the answer in the middle/],
    ['ends-early', /^MCP server web: it ended the answer in the middle/],
    ['huge', /^MCP server web: it sent a message larger than 16777216 bytes/],
    ['huge-event', /^MCP server web: it sent a message larger than 16777216 bytes/],
    ['many-keys', /^MCP server web: it sent a message with more than 50000 keys/],
    ['many-keys-event', /^MCP server web: it sent a message with more than 50000 keys/],
    ['deep', /nested more than 64 deep/],
    ['event-flood', /^MCP server web: it sent more than 5000 messages/],
    ['page', /^MCP server web: .*text\/html/],
    ['compressed', /^MCP server web: it sent a message larger than 16777216 bytes/],
    ['long-header', /^MCP server web: .*HEADERS_OVERFLOW/],
    ['carriage-returns', /^MCP server web: it sent more than 5000 messages/],
    ['empty-lines', /^MCP server web: it sent more than 5000 messages/],
  ])('that fails with %s is reported, and recovers with it', async (fault, expected) => {
    server.fault = fault
    expect(await problemOf(callTool(held, ECHO, { msg: 'x' }))).toMatch(expected)
    server.fault = 'well'
    expect(await callTool(held, ECHO, { msg: 'again' })).toEqual({ content: 'again' })
  })

  it('that does not answer is given up at the deadline', async () => {
    const hasty = world.pool.hold([serverAt(server.url, 200)])
    await hasty.settled()
    server.fault = 'hang'
    expect(await problemOf(callTool(hasty, ECHO, { msg: 'x' }))).toMatch(/did not answer within 0\.2 s/)
  })

  it('that has forgotten the session is initialized again by the next call', async () => {
    server.fault = 'forgets'
    expect(await problemOf(callTool(held, ECHO, { msg: 'x' }))).toMatch(/^MCP server web: /)
    expect(await callTool(held, ECHO, { msg: 'again' })).toEqual({ content: 'again' })
    expect(server.sessions()).toBe(2)
  })

  it('learns that a session has ended', async () => {
    await held.release()
    expect(server.ended).toEqual(['session-1'])
  })

  it.each<HttpFault>(['redirect', 'redirect-to-file', 'sign-in'])('sends us nowhere else with %s', async (fault) => {
    server.fault = fault
    expect(await problemOf(callTool(held, ECHO, { msg: 'x' }))).toMatch(/^MCP server web: /)
    expect(elsewhere.keys).toEqual([])
  })

  it.each<[HttpFault, string]>([
    ['many-tools', 'MCP server web: it sent a message with more than 50000 keys'],
    ['large-schema', 'MCP server web: it sent a message larger than 16777216 bytes'],
    ['hidden-schema', 'MCP server web: tool "echo" is left out: inputSchema: larger than 65536 characters'],
    ['large-description', 'MCP server web: tool "echo" is left out: description: longer than 65536 characters'],
  ])('has no tools if its list is bad: %s', async (fault, expected) => {
    await held.release()
    server.fault = fault
    const again = world.pool.hold([serverAt(server.url)])
    await again.settled()
    expect(again.tools()).toEqual([])
    expect(world.logged).toContain(expected)
  })

  it('that is missing is reported without its secrets', async () => {
    const { url } = elsewhere
    await elsewhere.close()
    const gone = world.pool.hold([serverAt(url)])
    await gone.settled()
    expect(gone.health()).toMatchObject([{ name: 'web', state: 'failed', lastError: 'fetch failed (ECONNREFUSED)' }])
    elsewhere = await startMisbehavingHttp()
  })
})
