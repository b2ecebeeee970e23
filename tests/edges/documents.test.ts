// The two pages for operators say what the server does: every limit with its default, every metric, every message.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openSession } from '../support/aap-session.ts'
import { exchangeText } from '../support/http-exchange.ts'
import { bearer, startEdgeServer } from './edge-server.ts'

const read = (path: string): string => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8')

describe('docs/security.md', () => {
  const page = read('docs/security.md')

  it('S7: has every limit in its one table, with the default that holds', () => {
    const source = read('apps/server/src/config/limits.ts')
    const defaults = [
      ...source.matchAll(/^ {2}(\w+): (?:upTo\([^,]+(?: \* MEBIBYTE)?, ([^)]+)\)|z\.enum\(.*default\('(\w+)'\))/gm),
    ]
    expect(defaults.length).toBeGreaterThan(14)
    const rows = new Map(
      [...page.matchAll(/^\| `(\w+)` \| ([^|]+) \|/gm)].map(([, name, value]) => [name, value?.trim()]),
    )
    expect([...rows.keys()].toSorted()).toEqual(defaults.map(([, name]) => name).toSorted())
    for (const [, name, number, word] of defaults) {
      const written = rows.get(name) ?? ''
      const [shown, holds] = word === undefined ? [toNumber(written), toNumber(number ?? '')] : [written, `\`${word}\``]
      expect([name, shown]).toEqual([name, holds])
    }
  })
})

/** `4 MiB`, `10,000`, `4 * MEBIBYTE`, `512 * 1024`, `60_000`. */
function toNumber(text: string): number {
  const units: Readonly<Record<string, number>> = { GiB: 1024 ** 3, MiB: 1024 ** 2, KiB: 1024, MEBIBYTE: 1024 ** 2 }
  return text
    .replaceAll(/[,_]/g, '')
    .split(/[ *]+/)
    .reduce((product, part) => product * (units[part] ?? Number(part)), 1)
}

describe('docs/operations.md', () => {
  const page = read('docs/operations.md')

  it('names every metric, and no other', async () => {
    const server = await startEdgeServer()
    onTestFinished(() => server.stop())
    await (await openSession(server.client())).turn('say x')
    const { text } = await exchangeText({ method: 'GET', url: `${server.url}/metrics`, headers: bearer(server.key) })
    const exposed = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)
    const named = [...page.matchAll(/`((?:polylogue|nodejs|process)_\w+)`/g)].map(([, name]) => name)
    // With one process there is neither a database nor a message that could be away: `tests/cluster/metrics` shows these.
    const ofNodes = ['polylogue_database_up', 'polylogue_messages_up']
    expect([...new Set(named)].toSorted()).toEqual([...exposed, ...ofNodes].toSorted())
  })

  it('names the messages as the server writes them', () => {
    const table = page.slice(page.indexOf('| `msg` |'), page.indexOf('Lines are written in the background'))
    const messages = [...table.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell]) => [
      ...(cell ?? '').matchAll(/`([^`]+)`/g),
    ])
    const files = [
      'last-resort.ts',
      'serve.ts',
      'http/answer-error.ts',
      'nodes/open-cluster.ts',
      'observe/fault-log.ts',
      'observe/request-observer.ts',
      'observe/sample-lines.ts',
      'observe/turn-observer.ts',
      'observe/wal-watch.ts',
    ]
    const source = files.map((file) => read(`apps/server/src/${file}`)).join('\n')
    const written = messages.map(([, message]) => message ?? '').filter((message) => message !== 'msg')
    expect(written.length).toBeGreaterThan(7)
    expect(written.filter((message) => !source.includes(`'${message}'`))).toEqual([])
  })
})
