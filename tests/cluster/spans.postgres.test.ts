import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { V3 } from '../support/aap-dialect.ts'
import { attachSession, openSession } from '../support/aap-session.ts'
import { eventually } from '../support/eventually.ts'
import { call, script, NEXT } from '../support/script.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { createTestDatabase } from '../support/test-database.ts'
import type { ServerDatabase } from '../support/databases.ts'
import { COUNTING_TOOLS, prepareNodes, type Nodes } from './support/nodes.ts'
import { startCollector, type Collector } from './tracing/collector.ts'

let database: ServerDatabase
let nodes: Nodes
let collector: Collector

beforeEach(async () => {
  database = await createTestDatabase()
  nodes = await prepareNodes(database.url)
  collector = await startCollector()
})
afterEach(async () => {
  await nodes.remove()
  collector.close()
  await database.drop()
})

const startNode = (name: string, flags: readonly string[] = []): Promise<ServerProcess> =>
  nodes.start(name, {
    flags,
    environment: {
      NODE_OPTIONS: `--import ${new URL('tracing/register.ts', import.meta.url).href}`,
      COLLECTOR_URL: collector.url,
      NODE_NAME: name,
    },
  })

describe('the spans of a turn', { timeout: 90_000 }, () => {
  it('cluster 65: door, turn, steps, tools and commits of a turn that moved are one trace over both nodes', async () => {
    const [a, b] = await Promise.all([startNode('a'), startNode('b')])
    const session = await openSession(a.client(V3), { agent: 'counting', tools: COUNTING_TOOLS })
    const [counted, lingered] = [nodes.counting.nextRun(), nodes.counting.nextRun()]
    const stream = await session.stream(
      'delta',
      script(call('c1', 'count', { run: counted }), NEXT, call('c2', 'linger', { run: lingered }), NEXT, 'say done'),
    )
    void stream.finished().catch(() => undefined)
    await nodes.untilRun(lingered)
    await a.kill()
    const there = attachSession(b.client(V3), session.id)
    await (await b.client(V3).events(session.id, '?after=0')).finished()
    expect(JSON.stringify(await there.history())).toContain('done')

    const turn = await eventually(
      async () => collector.spans.find(({ name, node }) => name === 'polylogue.turn' && node === 'b'),
      'the span of the turn',
    )
    expect(turn.attributes).toMatchObject({ 'polylogue.session_id': session.id, 'polylogue.outcome': 'finished' })
    const spans = collector.spans.filter(({ traceId }) => traceId === turn.traceId)
    const namesOf = (node: string) => new Set(spans.filter((span) => span.node === node).map(({ name }) => name))
    expect(namesOf('a')).toEqual(new Set(['polylogue.step', 'polylogue.tool', 'polylogue.store.append']))
    expect([...namesOf('b')]).toEqual(
      expect.arrayContaining(['polylogue.turn', 'polylogue.step', 'polylogue.store.append']),
    )
    expect(spans.find(({ name }) => name === 'polylogue.tool')?.attributes).toMatchObject({
      'gen_ai.tool.name': 'count',
    })
    const steps = spans.filter(({ name, node }) => name === 'polylogue.step' && node === 'b')
    expect(steps.every(({ parent }) => parent === turn.spanId)).toBe(true)
    const text = JSON.stringify(collector.spans)
    expect(text).not.toContain('say done')
  })

  it('cluster 65: the node that runs a turn makes its spans, in the trace of the node that admitted it', async () => {
    const [web, worker] = await Promise.all([
      startNode('web', ['--role', 'web']),
      startNode('worker', ['--role', 'worker']),
    ])
    const session = await openSession(web.client(V3), { agent: 'counting', tools: COUNTING_TOOLS })
    await session.turn(script(call('c1', 'count', { run: nodes.counting.nextRun() }), NEXT, 'say done'))
    const turn = await eventually(
      async () => collector.spans.find(({ name }) => name === 'polylogue.turn'),
      'the span of the turn',
    )
    expect(turn).toMatchObject({ node: 'worker', attributes: { 'polylogue.outcome': 'finished' } })
    const namesOf = (node: string) =>
      new Set(
        collector.spans.filter((span) => span.node === node && span.traceId === turn.traceId).map(({ name }) => name),
      )
    expect(namesOf('worker')).toEqual(
      new Set(['polylogue.turn', 'polylogue.step', 'polylogue.tool', 'polylogue.store.append']),
    )
    await eventually(
      async () => (namesOf('web').has('polylogue.store.append') ? true : undefined),
      'the append that admitted the turn',
    )
    await Promise.all([web.stop(), worker.stop()])
    // Nothing stays open at the node that only admitted it.
    expect(collector.spans.filter(({ name, node }) => name === 'polylogue.turn' && node === 'web')).toEqual([])
  })

  it("cluster 65: a request continues its caller's trace and links to the turn, and log lines name the trace", async () => {
    const a = await startNode('a')
    const traceId = 'ab'.repeat(16)
    const session = await openSession(a.client(V3), { agent: 'scripted' })
    const response = await fetch(`${a.url}/aap/v3/sessions/${session.id}/turns`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${a.key}`,
        'content-type': 'application/json',
        traceparent: `00-${traceId}-${'cd'.repeat(8)}-01`,
      },
      body: JSON.stringify({ stream: 'none', messages: [{ role: 'user', content: 'say hello' }] }),
    })
    await response.text()
    expect(response.status).toBe(200)
    const door = await eventually(
      async () => collector.spans.find((span) => span.traceId === traceId),
      'the span of the request',
    )
    expect(door).toMatchObject({ parent: 'cd'.repeat(8), attributes: { 'http.response.status_code': 200 } })
    const turn = await eventually(
      async () => collector.spans.find(({ name }) => name === 'polylogue.turn'),
      'the span of the turn',
    )
    expect(door.links).toEqual([turn.traceId])
    await eventually(
      async () => (a.output.includes(`"traceId":"${turn.traceId}"`) && a.output.includes(traceId) ? true : undefined),
      'lines that name the traces',
    )
  })
})
