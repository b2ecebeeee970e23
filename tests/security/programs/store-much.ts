// Users who store as much as they can, in a process of its own, so that sending costs nobody else time. The order stands
// in the argument. A line on standard input begins or ends a round; at the end of a round it prints what was answered.
import { Agent, request } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'

interface Order {
  readonly url: string
  readonly keys: readonly string[]
  /** Requests of one user at the same time. */
  readonly atOnce: number
  /** Size of one request. */
  readonly bytes: number
}

const order = JSON.parse(process.argv[2] ?? '') as Order
const agent = new Agent({ keepAlive: true })
const BODIES = [oneText, manyMessages, manyCalls].map((make) => make(order.bytes))

function oneText(bytes: number): string {
  return seedOf([{ role: 'user', content: 'x'.repeat(bytes) }])
}

function manyMessages(bytes: number): string {
  const said = { role: 'user', content: 'some words of a long talk '.repeat(8) }
  return seedOf(Array.from({ length: Math.floor(bytes / JSON.stringify(said).length) }, () => said))
}

/** Many small values, which cost more to read than their size tells. */
function manyCalls(bytes: number): string {
  const input = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [`k${index}`, `some word ${index} of an input`]),
  )
  const size = JSON.stringify(input).length + 150
  const messages = Array.from({ length: Math.floor(bytes / size) }, (_, index) => [
    { role: 'assistant', content: [{ type: 'tool_use', toolCallId: `c${index}`, name: 'x', input }] },
    { role: 'tool', toolCallId: `c${index}`, content: 'done' },
  ])
  return seedOf(messages.flat())
}

function seedOf(messages: readonly object[]): string {
  return JSON.stringify({ agent: { name: 'scripted' }, messages })
}

const seen: Record<string, number> = {}
let isGoing = false

async function store(key: string, first: number): Promise<void> {
  for (let index = first; ; index += 1) {
    while (!isGoing) await delay(5)
    const status = await send(key, BODIES[index % BODIES.length] ?? '').catch(() => 'cut')
    seen[status] = (seen[status] ?? 0) + 1
    if (status !== 201) await delay(20)
  }
}

function send(key: string, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    }
    const outgoing = request(`${order.url}/aap/v3/sessions`, { method: 'POST', headers, agent })
    outgoing.on('response', (response) => response.resume().on('end', () => resolve(response.statusCode ?? 0)))
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

for (const key of order.keys) for (let index = 0; index < order.atOnce; index += 1) void store(key, index)
process.stdout.write('ready\n')
for await (const line of createInterface({ input: process.stdin })) {
  isGoing = line === 'go'
  process.stdout.write(`${JSON.stringify(seen)}\n`)
}
