import { readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'

const DIST = fileURLToPath(new URL('../../apps/web/dist/', import.meta.url))
const KB = 1000

const packed = (name: string): number => gzipSync(readFileSync(`${DIST}${name}`), { level: 9 }).length
const sum = (names: readonly string[]): number => names.reduce((total, name) => total + packed(name), 0)
const document = readFileSync(`${DIST}index.html`, 'utf8')
const initial = [...document.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(([, name]) => name ?? '')

/** The bytes that a chunk brings with it, beyond those of the first screen. Grammars of the worker have such names too. */
function sizeOf(prefix: string): number {
  const names = readdirSync(`${DIST}assets`).filter((name) => name.startsWith(prefix) && name.endsWith('.js'))
  return Math.max(0, ...names.map((name) => sum(closureOf(`assets/${name}`))))
}

function closureOf(name: string, found: readonly string[] = []): readonly string[] {
  if (found.includes(name) || initial.includes(name)) return found
  const source = readFileSync(`${DIST}${name}`, 'utf8')
  const imported = [...source.matchAll(/from\s*"\.\/([^"]+\.js)"/g)].map(([, other]) => `assets/${other}`)
  return imported.reduce<readonly string[]>((all, other) => closureOf(other, all), [...found, name])
}

describe('console 71: the bundle, compressed', () => {
  it('is at most 180 kB for the first screen', () => {
    expect(initial.length).toBeGreaterThan(3)
    expect(sum(initial)).toBeLessThanOrEqual(180 * KB)
  })

  it.each([
    ['markdown', 105],
    ['doors-page', 40],
    ['diff', 50],
    ['schedules-page', 60],
    ['palette', 40],
  ])('is at most %s %d kB more', (prefix, most) => {
    const size = sizeOf(`${prefix}-`)
    expect(size).toBeGreaterThan(KB)
    expect(size).toBeLessThanOrEqual(most * KB)
  })
})
