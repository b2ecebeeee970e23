import { describe, expect, it } from 'vitest'
import type { Call } from './cpu-profile.ts'
import { writeFlameGraph } from './flame-graph.ts'

function call(name: string, place: string, selfMicros: number, calls: readonly Call[] = []): Call {
  const totalMicros = calls.reduce((sum, inner) => sum + inner.totalMicros, selfMicros)
  return { name, place, selfMicros, totalMicros, calls: [...calls] }
}

const tree = call('(root)', '', 0, [
  call('append', 'packages/stores/sqlite/src/append.ts:12', 250, [call('crc32', 'node:zlib', 250)]),
  call('<script>alert("&")</script>', 'packages/engine/src/x.ts:1', 499_000),
  call('tiny', 'hono', 100),
])

const page = writeFlameGraph(tree, 'a <title>')

/** Name, left edge and width of each frame, as fractions of the page. */
function framesIn(html: string): readonly (readonly [string, number, number])[] {
  const found = html.matchAll(/<i [^>]*data-l="([\d.]+)" data-w="([\d.]+)">([^<]*)<\/i>/g)
  return [...found].map(([, left, width, name]) => [name ?? '', Number(left), Number(width)])
}

describe('a flame graph', () => {
  it('has a frame as wide as its share of the time, inside its caller', () => {
    const frames = framesIn(
      writeFlameGraph(call('(root)', '', 0, [call('a', '', 25, [call('b', '', 50)]), call('c', '', 25)]), ''),
    )
    expect(frames).toEqual([
      ['(root)', 0, 1],
      ['a', 0, 0.75],
      ['b', 0, 0.5],
      ['c', 0.75, 0.25],
    ])
  })

  it('leaves out what cannot be seen', () => {
    expect(page).toContain('>append<')
    expect(page).not.toContain('>tiny<')
  })

  it('takes names for text and never for markup', () => {
    expect(page).not.toContain('<script>alert')
    expect(page).toContain('&lt;script&gt;alert(')
    expect(page).toContain('<title>a &lt;title&gt;</title>')
  })

  it('says how much of the time each room had', () => {
    expect(page).toMatch(/engine 99\.\d %/)
    expect(page).toMatch(/stores 0\.1 %/)
  })

  it('needs nothing from elsewhere', () => {
    expect(page).not.toMatch(/\b(?:src|href)=|https?:|@import|url\(/)
  })
})
