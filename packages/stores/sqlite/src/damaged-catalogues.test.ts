import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { asSessionId, asUserId } from '@polylogue/engine'
import { createFakeClock } from '@polylogue/testkit'
import { openSqliteStores } from './open-sqlite-stores.ts'
import { sampleAppend } from './test-programs/sample-append.ts'

const clock = createFakeClock()
let directory: string
let file: string
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'polylogue-catalogues-'))
  file = join(directory, 'polylogue.db')
  const { events, keys, close } = await openSqliteStores({ file, clock })
  const secrets = [{ name: 'SECRET-NAME', sealed: Uint8Array.of(1) }]
  await events.append({ ...sampleAppend(asSessionId('SESSION-NAME'), 0), secrets })
  const key = { kind: 'api', name: 'KEY-NAME', prefix: 'sk-', lastFour: 'abcd', createdAt: 1 } as const
  await keys.createKey({ ...key, id: 'key_1', userId: asUserId('local'), hash: 'KEY-HASH' })
  await close()
})
afterEach(() => rmSync(directory, { recursive: true }))

const places = (text: string): number[] => {
  const bytes = readFileSync(file)
  const found: number[] = []
  for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + 1)) found.push(at)
  return found
}

/** `B` becomes `C`: still a word, but another one. */
const flipAt = (offset: number): void => {
  const bytes = readFileSync(file)
  bytes[offset] = (bytes[offset] ?? 0) ^ 1
  writeFileSync(file, bytes)
}

it.each(['SECRET-NAME', 'KEY-HASH'])(
  'a %s that differs between its table and an index is found at once',
  async (text) => {
    expect(places(text).length).toBe(2)
    for (const place of places(text)) {
      flipAt(place)
      await expect(openSqliteStores({ file, clock })).rejects.toThrow(/is damaged: .* restore a backup/)
      flipAt(place)
    }
  },
)

it('a session whose name or owner is damaged is never just absent', async () => {
  let refusals = 0
  for (const place of [...places('SESSION-NAME'), ...places('local')]) {
    flipAt(place)
    const outcome = await openSqliteStores({ file, clock }).then(
      async ({ events, keys, close }) => {
        try {
          await events.readEvents(asSessionId('SESSION-NAME'), 0, 10)
          await keys.listKeys()
          return (await events.listSessions({ userId: asUserId('local'), limit: 10 })).length
        } catch (error) {
          return String(error)
        } finally {
          await close()
        }
      },
      (error: unknown) => String(error),
    )
    expect(outcome).toSatisfy((found) => found === 1 || /damaged|cannot be read/.test(String(found)))
    if (outcome !== 1) refusals += 1
    flipAt(place)
  }
  expect(refusals).toBeGreaterThan(3)
})

it('an unreadable page is reported in one line', async () => {
  const bytes = readFileSync(file)
  const page = 4_096 * Math.floor((places('KEY-HASH')[0] ?? 0) / 4_096)
  writeFileSync(file, bytes.fill(0xff, page, page + 4_096))
  await expect(openSqliteStores({ file, clock })).rejects.toThrow(/^[^\n*]* is damaged: [^\n*]+ restore a backup\.$/)
})

it('a key that was changed in its row is refused', async () => {
  flipAt(places('KEY-NAME')[0] ?? 0)
  const { keys, close } = await openSqliteStores({ file, clock })
  await expect(keys.findKey('KEY-HASH')).rejects.toThrow('The key key_1 is damaged.')
  await expect(keys.listKeys()).rejects.toThrow('The key key_1 is damaged.')
  await close()
})
