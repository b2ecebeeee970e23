// Where a reader says it stopped: in the address, in the header that browsers send, in both.
import type { Generator } from '../bad-input.ts'
import { STRANGE_STRINGS } from '../hostile-values.ts'
import { toInput } from '../http-text.ts'

const CURSORS = [
  '-1',
  '-9223372036854775808',
  '9223372036854775807',
  '9223372036854775808',
  '18446744073709551616',
  '999999999999999',
  '1000000000000000',
  '0',
  '00000',
  '1',
  '1.0',
  '1.0.0',
  '1.0.0.0',
  '2.999999999.999999999999',
  '3.0.999999999999',
  '999.1.1',
  '1.-1.0',
  '1.0.-1',
  '1e3',
  '0x1',
  '1,2',
  ' 1',
  '١٢٣',
  'NaN',
  'Infinity',
  'latest',
  '',
  '0198c0de-7a11-7000-8000-000000000000',
  'turn_000000000000000000000000',
  'MDE5OGMwZGUtN2ExMS03MDAwLTgwMDAtMDAwMDAwMDAwMDAw',
  '1'.repeat(10_000),
  `1.${'0'.repeat(5000)}.1`,
]

export const generateCursor: Generator = (turn, random, scene) => {
  const door = turn % 2 === 0 ? '/aap/v3/sessions' : '/aap/v1/session'
  const session = random.pick([scene.sessionId, scene.sessionId, scene.waiting.sessionId, scene.foreignSessionId])
  const cursor = random.chance(0.7) ? random.pick(CURSORS) : random.pick(STRANGE_STRINGS)
  const header = random.chance(0.5) ? toHeaderValue(random.pick([cursor, scene.foreignSessionId])) : undefined
  const follows = random.chance(0.4)
  const query = `after=${encodeURIComponent(cursor.toWellFormed())}&stream=${random.pick(['delta', 'message'])}&follow=${follows ? 1 : 0}`
  const input = toInput(scene, {
    kind: `cursor/${JSON.stringify(cursor.slice(0, 40))}${header === undefined ? '' : ' in the header'}`,
    method: 'GET',
    path: `${door}/${session}/events?${query}`,
    headers: { 'Last-Event-ID': header, Accept: 'text/event-stream' },
    // Twice in one head, the longest of them are too long.
    expected: { statuses: [400, session === scene.foreignSessionId ? 404 : 200, 431] },
  })
  // A stream that follows has no end, and one that waits for a stop may have none either.
  return { ...input, afterwards: 'leaves when answered', alone: true }
}

/** What Node's own parser lets pass, so that the value reaches the server. */
function toHeaderValue(text: string): string {
  return text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?')
}
