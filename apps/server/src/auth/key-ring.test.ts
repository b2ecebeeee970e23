import { StorageFault, asUserId, type KeyStore } from '@polylogue/engine'
import { createFakeClock, createMemoryKeyStore, untilQuiet } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { randomBytes } from '../platform/random-bytes.ts'
import { sha256 } from '../platform/sha256.ts'
import { embedHost } from './embed-cookie.ts'
import { TooManyKeys, createKeyRing } from './key-ring.ts'

const anna = asUserId('anna')
const ben = asUserId('ben')
const FIREFOX = { name: 'Firefox', host: 'a:1' }

function createTestRing(extraKeys: readonly string[] = []) {
  const clock = createFakeClock()
  const store = createMemoryKeyStore({ clock })
  return { clock, store, keys: createKeyRing({ store, clock, random: randomBytes, digest: sha256, extraKeys }) }
}

/** A ring whose store tells how often it was asked for a key, and can be made to answer late. */
function createCountedRing() {
  const clock = createFakeClock()
  const inner = createMemoryKeyStore({ clock })
  let count = 0
  let gate = Promise.resolve()
  const store: KeyStore = {
    ...inner,
    async findKey(hash) {
      count += 1
      const found = await inner.findKey(hash)
      await gate
      return found
    },
  }
  const keys = createKeyRing({ store, clock, random: randomBytes, digest: sha256, extraKeys: [] })
  const hold = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    gate = promise
    return resolve
  }
  return { clock, keys, store, lookUps: () => count, hold }
}

describe('a key', () => {
  it('has 256 random bits, and only its hash and its ends are kept', async () => {
    const { keys, store } = createTestRing()
    const { plain, record } = await keys.createApiKey(anna, 'laptop')
    expect(plain).toMatch(/^sk-blade-v2-[A-Za-z0-9_-]{43}$/)
    expect(record).toMatchObject({ userId: anna, kind: 'api', name: 'laptop', prefix: 'sk-blade-v2-' })
    expect(record.lastFour).toBe(plain.slice(-4))
    expect(await store.findKey(sha256(plain))).toMatchObject({ id: record.id })
    expect(JSON.stringify(await keys.list())).not.toContain(plain.slice(12, -4))
  })

  it('that is given is stored once, also by two at a time, and not again after it was revoked', async () => {
    const { keys } = createTestRing()
    const { plain } = await createTestRing().keys.createApiKey(anna, 'elsewhere')
    const both = await Promise.all([keys.ensureApiKey(anna, 'shared', plain), keys.ensureApiKey(anna, 'shared', plain)])
    expect(both).toEqual([true, true])
    const [record, ...others] = await keys.list(anna)
    expect(others).toEqual([])
    expect(await keys.find(plain)).toMatchObject({ id: record?.id, userId: anna })
    await keys.revoke(record?.id ?? '')
    expect(await keys.ensureApiKey(anna, 'shared', plain)).toBe(false)
    expect(await keys.find(plain)).toBeUndefined()
  })

  it('is found by its plain text, and when it was last used is noted', async () => {
    const { keys, clock } = createTestRing()
    const { plain, record } = await keys.createApiKey(anna, 'laptop')
    clock.advance(5_000)
    expect(await keys.find(plain)).toMatchObject({ id: record.id, userId: anna, kind: 'api' })
    expect((await keys.list(anna))[0]?.lastUsedAt).toBe(clock.now())
    for (const wrong of ['', `${plain}x`, plain.slice(0, -1), plain.toUpperCase(), 'x'.repeat(1000)]) {
      expect(await keys.find(wrong)).toBeUndefined()
    }
  })

  it('opens nothing after it is revoked, and its connections are notified immediately', async () => {
    const { keys } = createTestRing()
    const { plain, record } = await keys.createApiKey(anna, 'laptop')
    const other = await keys.createApiKey(anna, 'phone')
    const [first, second] = [await keys.find(plain), await keys.find(plain)]
    const phone = await keys.find(other.plain)
    expect(await keys.revoke(record.id)).toBe(true)
    expect([first, second, phone].map((found) => found?.revoked.aborted)).toEqual([true, true, false])
    expect(await keys.find(plain)).toBeUndefined()
    expect(await keys.revoke(record.id)).toBe(false)
  })

  it('that is being looked up while it is revoked is notified too', async () => {
    const { keys } = createTestRing()
    const { plain, record } = await keys.createApiKey(anna, 'laptop')
    const [found] = await Promise.all([keys.find(plain), keys.revoke(record.id)])
    expect(found?.revoked.aborted ?? true).toBe(true)
  })

  it('is read from the store once, then remembered; what was revoked elsewhere opens nothing after 30 seconds', async () => {
    const { clock, keys, store, lookUps } = createCountedRing()
    const { plain, record } = await keys.createApiKey(anna, 'laptop')
    await Promise.all([keys.find(plain), keys.find(plain)])
    const known = lookUps()
    clock.advance(29_999)
    const found = await keys.find(plain)
    expect(lookUps()).toBe(known)
    await store.revokeKey(record.id)
    clock.advance(1)
    expect(await keys.find(plain)).toBeUndefined()
    // Whoever was let in meanwhile is told too.
    expect(found?.revoked.aborted).toBe(true)
  })

  it('that was revoked here is not remembered for a moment, not even by a look-up that was under way', async () => {
    const { keys, hold } = createCountedRing()
    const { plain, record } = await keys.createApiKey(anna, 'laptop')
    const release = hold()
    const found = keys.find(plain)
    await keys.revoke(record.id)
    release()
    expect((await found)?.revoked.aborted ?? true).toBe(true)
    expect(await keys.find(plain)).toBeUndefined()
  })

  it('that is unknown is looked up each time, and costs no memory', async () => {
    const { keys, lookUps } = createCountedRing()
    for (let guess = 0; guess < 3; guess++) expect(await keys.find('guess')).toBeUndefined()
    expect(lookUps()).toBe(3)
  })

  it('is forgotten when more than a thousand others came after it', async () => {
    const { keys, lookUps } = createCountedRing()
    const first = await keys.createApiKey(anna, 'first')
    await keys.find(first.plain)
    for (let index = 0; index < 1_000; index++) {
      const { plain } = await keys.createApiKey(anna, `key ${index}`)
      await keys.find(plain)
    }
    expect(lookUps()).toBe(1_001)
    await keys.find(first.plain)
    expect(lookUps()).toBe(1_002)
  })

  it('of another user cannot be revoked', async () => {
    const { keys } = createTestRing()
    const { plain, record } = await keys.createApiKey(anna, 'laptop')
    expect(await keys.revoke(record.id, ben)).toBe(false)
    expect(await keys.find(plain)).toBeDefined()
    expect(await keys.revoke(record.id, anna)).toBe(true)
  })
})

it('a sign-in lasts twelve hours beyond its last use, and thirty days at most', async () => {
  const { keys, clock } = createTestRing()
  const { plain } = await keys.createSignIn(anna, FIREFOX)
  const half = 11 * 60 * 60_000
  for (let used = half; used < 30 * 24 * 60 * 60_000; used += half) {
    clock.advance(half)
    expect(await keys.find(plain)).toMatchObject({ userId: anna, kind: 'browser', signIn: { host: 'a:1' } })
    expect((await keys.list())[0]?.expiresAt).toBeLessThanOrEqual(clock.now() + 12 * 60 * 60_000)
  }
  clock.advance(half)
  expect(await keys.find(plain)).toBeUndefined()
  expect(await keys.list()).toEqual([])
})

describe('a user who signs in again and again', () => {
  it('has a hundred browsers at most: the one that was used longest ago is signed out', async () => {
    const { keys, clock } = createTestRing()
    const { plain: kept } = await keys.createSignIn(anna, FIREFOX)
    const { plain: idle } = await keys.createSignIn(anna, FIREFOX)
    const open = await keys.find(idle)
    for (let count = 0; count < 99; count++) {
      clock.advance(1)
      await keys.find(kept)
      await keys.createSignIn(anna, FIREFOX)
    }
    expect(await keys.list(anna)).toHaveLength(100)
    expect(await keys.find(kept)).toBeDefined()
    expect(await keys.find(idle)).toBeUndefined()
    expect(open?.revoked.aborted).toBe(true)
  })

  it('has no more when all come at once, and signs nobody else out', async () => {
    const { keys } = createTestRing()
    await keys.createSignIn(ben, FIREFOX)
    await keys.createApiKey(anna, 'laptop')
    await Promise.all(Array.from({ length: 250 }, () => keys.createSignIn(anna, FIREFOX)))
    expect((await keys.list(anna)).filter(({ kind }) => kind === 'browser').length).toBeLessThanOrEqual(100)
    expect((await keys.list(anna)).filter(({ kind }) => kind === 'api')).toHaveLength(1)
    expect(await keys.list(ben)).toHaveLength(1)
  })

  it('stays signed in whoever looks at embedded sessions', async () => {
    const { keys, clock } = createTestRing()
    const { plain } = await keys.createSignIn(anna, FIREFOX)
    clock.advance(1)
    for (let count = 0; count < 150; count++) await keys.createSignIn(anna, { name: 'x', host: embedHost('s', 'a:1') })
    expect(await keys.find(plain)).toBeDefined()
    expect(await keys.list(anna)).toHaveLength(151)
  })

  it('leaves no expired sign-in in the storage', async () => {
    const { keys, clock, store } = createTestRing()
    for (let count = 0; count < 5; count++) await keys.createSignIn(anna, FIREFOX)
    clock.advance(12 * 60 * 60_000)
    await keys.createSignIn(anna, FIREFOX)
    expect(await store.listKeys(anna)).toHaveLength(1)
  })
})

describe('what a sign-in has opened', () => {
  const HOUR = 60 * 60_000
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

  it('ends with the sign-in, twelve hours after its last use', async () => {
    const { keys, clock } = createTestRing()
    const { plain } = await keys.createSignIn(anna, FIREFOX)
    const open = await keys.find(plain)
    clock.advance(11 * HOUR)
    await keys.find(plain)
    clock.advance(11 * HOUR)
    await settled()
    expect(open?.revoked.aborted).toBe(false)
    clock.advance(HOUR)
    await settled()
    expect(open?.revoked.aborted).toBe(true)
    expect(await keys.find(plain)).toBeUndefined()
    expect(clock.pendingTimers()).toBe(0)
  })

  it('ends after thirty days, however much the sign-in is used', async () => {
    const { keys, clock } = createTestRing()
    const { plain } = await keys.createSignIn(anna, FIREFOX)
    const open = await keys.find(plain)
    for (let hours = 0; hours < 30 * 24 - 6; hours += 6) {
      clock.advance(6 * HOUR)
      await settled()
      expect((await keys.find(plain))?.revoked.aborted).toBe(false)
    }
    clock.advance(6 * HOUR)
    await settled()
    expect(open?.revoked.aborted).toBe(true)
  })

  it('stays open while the storage does not answer, and ends when it does', async () => {
    const { clock, store } = createTestRing()
    let isBroken = false
    const findKey: KeyStore['findKey'] = (hash) =>
      isBroken ? Promise.reject(new StorageFault('broken', 'away')) : store.findKey(hash)
    const keys = createKeyRing({
      store: { ...store, findKey },
      clock,
      random: randomBytes,
      digest: sha256,
      extraKeys: [],
    })
    const { plain } = await keys.createSignIn(anna, FIREFOX)
    const open = await keys.find(plain)
    isBroken = true
    clock.advance(12 * HOUR)
    await settled()
    expect(open?.revoked.aborted).toBe(false)
    isBroken = false
    clock.advance(60_000)
    await settled()
    expect(open?.revoked.aborted).toBe(true)
  })

  it('leaves nothing to wait for when it is revoked', async () => {
    const { keys, clock } = createTestRing()
    const { plain, record } = await keys.createSignIn(anna, FIREFOX)
    await keys.find(plain)
    await keys.revoke(record.id)
    expect(clock.pendingTimers()).toBe(0)
  })
})

it('other nodes are asked only about keys that may still open something', async () => {
  const clock = createFakeClock()
  const inner = createMemoryKeyStore({ clock })
  let asked: readonly string[] = []
  const store: KeyStore = { ...inner, findRevoked: (ids) => inner.findRevoked((asked = ids)) }
  const keys = createKeyRing({ store, clock, random: randomBytes, digest: sha256, extraKeys: [] })
  const { plain, record } = await keys.createApiKey(anna, 'laptop')
  const revoked = await keys.createApiKey(anna, 'old')
  const signIn = await keys.createSignIn(anna, FIREFOX)
  for (const one of [plain, revoked.plain, signIn.plain]) await keys.find(one)
  await keys.endRevoked()
  expect(asked.toSorted()).toEqual([record.id, revoked.record.id, signIn.record.id].toSorted())
  await keys.revoke(revoked.record.id)
  clock.advance(13 * 60 * 60_000)
  await untilQuiet()
  await keys.endRevoked()
  expect(asked).toEqual([record.id])
  // A request that was let in before is told.
  expect(await keys.find(signIn.plain)).toBeUndefined()
})

it('a sign-in with a key ends with that key, and with no other', async () => {
  const { keys } = createTestRing()
  const phone = await keys.createApiKey(anna, 'phone')
  const laptop = await keys.createApiKey(anna, 'laptop')
  const byPhone = await keys.createSignIn(anna, { ...FIREFOX, keyId: phone.record.id })
  const byLaptop = await keys.createSignIn(anna, { ...FIREFOX, keyId: laptop.record.id })
  const byLink = await keys.createSignIn(anna, FIREFOX)
  const open = await keys.find(byPhone.plain)
  await keys.revoke(phone.record.id, anna)
  expect(open?.revoked.aborted).toBe(true)
  expect(await keys.find(byPhone.plain)).toBeUndefined()
  expect(await keys.find(byLaptop.plain)).toBeDefined()
  expect(await keys.find(byLink.plain)).toBeDefined()
})

it('a sign-in opens nothing when its key was revoked meanwhile', async () => {
  const { keys } = createTestRing()
  const { record } = await keys.createApiKey(anna, 'phone')
  await keys.revoke(record.id)
  const late = await keys.createSignIn(anna, { ...FIREFOX, keyId: record.id })
  expect(await keys.find(late.plain)).toBeUndefined()
})

it('a key from the command line speaks for local and is never stored', async () => {
  const { keys } = createTestRing(['given'])
  expect(await keys.find('given')).toMatchObject({ id: 'key_option_1', userId: 'local', kind: 'api' })
  expect(await keys.list()).toEqual([])
})

describe('S6: a user who asks for keys', () => {
  it('gets a hundred under concurrent requests, and another one for each that is revoked', async () => {
    const { keys } = createTestRing()
    const asked = await Promise.allSettled(Array.from({ length: 120 }, () => keys.requestApiKey(anna, 'another')))
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(100)
    await expect(keys.requestApiKey(anna, 'another')).rejects.toThrow(TooManyKeys)
    await expect(keys.requestApiKey(ben, 'first')).resolves.toMatchObject({ record: { userId: ben } })
    const [first] = await keys.list(anna)
    await keys.revoke(first?.id ?? '', anna)
    await expect(keys.requestApiKey(anna, 'another')).resolves.toMatchObject({ record: { userId: anna } })
    expect(await keys.list(anna)).toHaveLength(100)
  })

  it('is not delayed by sign-ins of browsers, nor by a store that failed once', async () => {
    const { clock, keys, store } = createTestRing()
    for (let count = 0; count < 100; count++) await keys.createSignIn(anna, FIREFOX)
    let isBroken = true
    const flaky = createKeyRing({
      store: {
        ...store,
        createKey: async (key) => (isBroken ? Promise.reject(new Error('broken')) : store.createKey(key)),
      },
      clock,
      random: randomBytes,
      digest: sha256,
      extraKeys: [],
    })
    await expect(flaky.requestApiKey(anna, 'laptop')).rejects.toThrow('broken')
    isBroken = false
    await expect(flaky.requestApiKey(anna, 'laptop')).resolves.toMatchObject({ record: { name: 'laptop' } })
  })
})
