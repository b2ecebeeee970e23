import { createSeededRandom } from '../../storage-faults/seeded-random.ts'
import type { AcpProcess } from './acp-process.ts'
import { createMalformedFrames } from './malformed-frames.ts'

/** Of JSON-RPC; and −32002 for a session that nobody knows. */
const ALLOWED = new Set([-32_700, -32_600, -32_601, -32_602, -32_002])
const PER_ROUND = 100

/** Sends them in pieces of any size, and looks after every hundred whether the process still answers. */
export async function sendMalformed(acp: AcpProcess, seed: string, count: number): Promise<readonly string[]> {
  const random = createSeededRandom(`${seed} pieces`)
  const frames = createMalformedFrames(seed, count)
  const complaints: string[] = []
  await acp.request('initialize', { protocolVersion: 1 })
  for (let start = 0; start < frames.length; start += PER_ROUND) {
    const round = frames.slice(start, start + PER_ROUND)
    const seen = acp.frames.length
    const bytes = Buffer.concat(round.map((frame) => frame.bytes))
    for (let at = 0; at < bytes.length;) {
      const size = 1 + random.int(random.int(4) === 0 ? 3 : 20_000)
      acp.write(bytes.subarray(at, at + size))
      at += size
    }
    const kinds = [...new Set(round.map(({ what }) => what))].join(', ')
    await acp
      .request('session/list', {})
      .catch((error: unknown) => void complaints.push(`no answer after ${kinds}: ${String(error)}`))
    if (acp.child.exitCode !== null) return [...complaints, `it ended after ${kinds}`]
    const codes = acp.frames
      .slice(seen)
      .flatMap(({ error }) => (error as { readonly code?: number } | undefined)?.code ?? [])
    const odd = codes.filter((code) => !ALLOWED.has(code))
    if (odd.length > 0) complaints.push(`${odd.join(', ')} among the answers to ${kinds}`)
    if (codes.length === 0) complaints.push(`no refusal of ${kinds}`)
  }
  if (acp.strayLines.length > 0) complaints.push(`stray lines: ${acp.strayLines.slice(0, 3).join(' ')}`)
  return complaints
}
