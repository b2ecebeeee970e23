import { gzipSync } from 'node:zlib'
import { round, type BenchRow } from './bench-result.ts'

/** In kB, compressed. The first screen, and what other screens add to it. */
const BUDGETS = { first: 180, markdown: 105, 'doors-page': 40, diff: 50, 'schedules-page': 60, palette: 40 } as const

/** The bytes that a browser loads for the console, as the server sends them. */
export async function measureBundle(url: URL): Promise<readonly BenchRow[]> {
  const sources = new Map<string, string>()
  const read = async (path: string): Promise<string> => {
    const known = sources.get(path) ?? (await (await fetch(new URL(path, url))).text())
    sources.set(path, known)
    return known
  }
  const page = await read('/')
  const first = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '')
  const everything = new Set<string>()
  const follow = async (path: string): Promise<void> => {
    if (everything.has(path)) return
    everything.add(path)
    if (path.endsWith('.js')) for (const next of namesIn(await read(path))) await follow(`/assets/${next}`)
  }
  for (const path of first) await follow(path)
  const sizeOf = async (paths: readonly string[]): Promise<number> => {
    let bytes = 0
    for (const path of paths) bytes += gzipSync(await read(path), { level: 9 }).length
    return bytes / 1000
  }
  const closureOf = async (path: string, found: readonly string[] = []): Promise<readonly string[]> => {
    if (found.includes(path) || first.includes(path)) return found
    let all: readonly string[] = [...found, path]
    for (const next of importsIn(await read(path))) all = await closureOf(`/assets/${next}`, all)
    return all
  }
  const rows = [toRow('first', await sizeOf(first))]
  for (const name of ['markdown', 'doors-page', 'diff', 'schedules-page', 'palette'] as const) {
    const chunks = [...everything].filter((path) => path.startsWith(`/assets/${name}-`) && path.endsWith('.js'))
    const sizes = await Promise.all(chunks.map(async (path) => sizeOf(await closureOf(path))))
    if (sizes.length > 0) rows.push(toRow(name, Math.max(...sizes)))
  }
  return rows
}

/** Other files that a script names, whether it imports them now or later. */
const namesIn = (source: string): readonly string[] =>
  [...source.matchAll(/["'`](?:\.\/|\/?assets\/)([\w.-]+\.js)["'`]/g)].map(([, name]) => name ?? '')

const importsIn = (source: string): readonly string[] =>
  [...source.matchAll(/from\s*"\.\/([^"]+\.js)"/g)].map(([, name]) => name ?? '')

const toRow = (name: keyof typeof BUDGETS, kB: number): BenchRow => ({
  name: name === 'first' ? 'Console: bytes of the first screen, gzip' : `Console: bytes that ${name} adds, gzip`,
  measured: `${round(kB, 1)} kB`,
  budget: `≤ ${BUDGETS[name]} kB`,
  isMet: kB <= BUDGETS[name],
  figures: { kB: round(kB, 1) },
})
