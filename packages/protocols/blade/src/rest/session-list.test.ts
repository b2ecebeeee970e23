import { calls, createFakeTool, finishes, says } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { usingRest } from './test-support/using-rest.ts'

const sessions = usingRest()
const { open, create, list, read, run } = sessions

const idsOf = (page: { items: { id: string }[] }): readonly string[] => page.items.map(({ id }) => id)

describe('the list', () => {
  it('blade 16: describes its page', async () => {
    await open()
    for (let i = 0; i < 23; i++) await create({ intent: `number ${i}` })
    const { items, ...page } = await list()
    expect(page).toEqual({ total: 23, limit: 20, offset: 0, content_match_truncated: false })
    expect(items).toHaveLength(20)
    expect((await list('?limit=5&offset=21')).items).toHaveLength(2)
  })

  it('blade 17: takes no page of nothing, and none before the first', async () => {
    await open()
    for (const query of ['?limit=0', '?offset=-1', '?limit=x', '?limit=1.5']) {
      const { status, body } = await sessions.rest.send('GET', `/api/sessions${query}`)
      expect([query, status, typeof body.detail]).toEqual([query, 422, 'string'])
    }
  })

  it('blade 17: takes any larger page, and says how much of it is there', async () => {
    await open()
    await create({ intent: 'one' })
    for (const query of ['?limit=5000', '?limit=5000&q=one']) {
      expect(await list(query)).toMatchObject({ total: 1, limit: 1_000, items: [{ intent: 'one' }] })
    }
  })

  it('blade 18: is searched in titles and messages, not in tool results', async () => {
    const tool = createFakeTool('look', { run: () => ({ content: 'a Walrus' }) })
    await open({ tools: [tool] })
    const titled = await create({ intent: 'About a WALRUS' })
    const asked = await create({ intent: 'one' })
    await run(asked, 'what is a walrus?')
    const answered = await create({ intent: 'two' })
    sessions.rest.model.push([says('It is a Walrus.'), finishes()])
    await run(answered, 'what is it?')
    const looked = await create({ intent: 'three' })
    sessions.rest.model.push([calls('c', 'look'), finishes('tool-calls')])
    await run(looked, 'look')
    const foreign = await create({ intent: 'walrus' }, 'ben')

    const found = await list('?q=walrus')
    expect(new Set(idsOf(found))).toEqual(new Set([titled, asked, answered]))
    expect(found).toMatchObject({ total: 3, content_match_truncated: false })
    expect(idsOf(await list('?q=walrus', 'ben'))).toEqual([foreign])
    expect(await list('?template_id_prefix=x')).toMatchObject({ items: [], total: 0 })
  })

  it('blade 18: pages of a search are one list without gap or repeat', async () => {
    await open()
    for (let i = 0; i < 12; i++) {
      sessions.rest.clock.advance(1_000)
      const id = await create({ intent: i % 3 === 0 ? `walrus ${i}` : `number ${i}` })
      if (i % 2 === 0) await run(id, 'a walrus?')
    }
    const whole = idsOf(await list('?q=walrus'))
    expect(whole).toHaveLength(8)
    for (const limit of [1, 2, 3, 5]) {
      const pages: string[] = []
      for (let offset = 0; offset < 9; offset += limit) {
        pages.push(...idsOf(await list(`?q=walrus&limit=${limit}&offset=${offset}`)))
      }
      expect(pages).toEqual(whole)
    }
  })

  it('blade 19: has pinned sessions first, then what changed last', async () => {
    await open()
    const ids: string[] = []
    for (let i = 0; i < 3; i++) {
      sessions.rest.clock.advance(1_000)
      ids.push(await create())
    }
    const [first = '', second = '', third = ''] = ids
    expect(idsOf(await list())).toEqual([third, second, first])
    sessions.rest.clock.advance(1_000)
    await sessions.rest.send('PATCH', `/api/sessions/${second}`, { body: { intent: 'changed' } })
    expect(idsOf(await list())).toEqual([second, third, first])
    await sessions.rest.send('PATCH', `/api/sessions/${first}/pin`, { body: { pinned: true } })
    expect(idsOf(await list())).toEqual([first, second, third])
  })

  it('blade 19, 159: a pin changes neither `updated_at` nor the order after it is removed', async () => {
    await open()
    const first = await create()
    sessions.rest.clock.advance(1_000)
    const second = await create()
    const { updated_at } = await read(first)
    sessions.rest.clock.advance(1_000)
    for (const pinned of [true, false]) {
      const { body } = await sessions.rest.send('PATCH', `/api/sessions/${first}/pin`, { body: { pinned } })
      expect(body).toMatchObject({ is_pinned: pinned, updated_at })
    }
    expect(idsOf(await list())).toEqual([second, first])
  })
})
