import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Chat, chatOn } from './chat.ts'
import { checkOpening } from './opening-lines.ts'
import { checkSent } from './long-lines.ts'
import { type Stage, openStage } from './stage.ts'

let stage: Stage
let chat: Chat

beforeAll(async () => {
  stage = await openStage()
  chat = chatOn(stage.page)
})
afterAll(() => stage.close())

describe('the connection', () => {
  it('console 3, 59: without the server a message is shown at once and marked, and runs when the server is back', async () => {
    await chat.begin('say Hello')
    await chat.answered('Hello')
    await chat.rests()
    await stage.stop()
    await stage.page.locator('.banner').waitFor()
    // 100 ms on a quiet machine, which `npm run proof -- console` measures.
    await checkSent(stage, { texts: ['say Sent while away'], mostMs: 1_000 })
    const outgoing = stage.page.locator('[data-outgoing=sending]')
    expect(await outgoing.innerText()).toContain('waits for the server')
    await stage.start()
    await chat.answered('Sent while away')
    await stage.page.locator('.banner').waitFor({ state: 'detached' })
    await chat.rests()
    expect(await stage.page.locator('.said').filter({ hasText: 'Sent while away' }).count()).toBe(1)
  })

  it('console 59: a banner tells of a lost connection within 3 s, and goes without a reload', async () => {
    const context = await stage.newContext({ storageState: await stage.context.storageState() })
    const page = await context.newPage()
    // Its clock stands still, so that a slow machine takes nothing from its 3 s.
    await page.clock.install()
    await page.goto(stage.page.url())
    await page.locator('.chat[data-phase=ready]').waitFor()
    await page.evaluate('globalThis.isSamePage = true')
    await page.clock.pauseAt(Date.now() + 1_000)
    const banner = page.locator('.banner')
    await context.setOffline(true)
    await page.clock.runFor(1_000)
    // A short loss is not worth a word.
    expect(await banner.count()).toBe(0)
    await page.clock.runFor(1_900)
    await banner.waitFor()
    await context.setOffline(false)
    await page.clock.resume()
    await banner.waitFor({ state: 'detached' })
    expect(await page.evaluate('globalThis.isSamePage')).toBe(true)
    await context.close()
  })

  it('console 12: a message whose acknowledgement is lost runs once, after a reload too', async () => {
    const page = await stage.context.newPage()
    let isLossy = false
    await page.routeWebSocket(/socket\.io/, (socket) => {
      const server = socket.connectToServer()
      socket.onMessage((message) => server.send(message))
      server.onMessage((message) => {
        // An acknowledgement of Socket.IO begins with 43.
        if (!(isLossy && String(message).startsWith('43'))) socket.send(message)
      })
    })
    const lossy = chatOn(page)
    await page.goto(stage.page.url())
    await lossy.answered('Hello')
    await page.locator('.chat[data-phase=ready]').waitFor()
    isLossy = true
    await lossy.say('say Only once')
    await chat.answered('Only once')
    isLossy = false
    await page.reload()
    await lossy.answered('Only once')
    await lossy.rests()
    await chat.rests()
    expect(await stage.page.locator('.said').filter({ hasText: 'Only once' }).count()).toBe(1)
    await page.close()
  })
})

it('console 12: a message that ends every connection is given up, and can be sent again', async () => {
  const page = await stage.context.newPage()
  let isPoison = true
  await page.routeWebSocket(/socket\.io/, (socket) => {
    const server = socket.connectToServer()
    socket.onMessage((message) => {
      if (isPoison && String(message).includes('too much for it')) void socket.close()
      else server.send(message)
    })
    server.onMessage((message) => socket.send(message))
  })
  const victim = chatOn(page)
  await page.goto(stage.page.url())
  await page.locator('.chat[data-phase=ready]').waitFor()
  await victim.say('say too much for it')
  const refused = page.locator('[data-outgoing=refused]')
  await refused.waitFor({ timeout: 60_000 })
  isPoison = false
  await refused.getByRole('button', { name: 'Try again' }).click()
  await victim.answered('too much for it')
  await victim.rests()
  await page.close()
})

it('console 3: the first message is shown while its session is made, and what is typed meanwhile comes along', async () => {
  const page = await stage.context.newPage()
  const visitor = chatOn(page)
  await page.goto(stage.server().url ?? '')
  await page.locator('.new .pick').first().waitFor()
  const { promise: isHeld, resolve: release } = Promise.withResolvers<void>()
  const made: string[] = []
  await page.route('**/api/sessions', async (route) => {
    made.push(route.request().method())
    await isHeld
    await route.continue()
  })
  await visitor.say('The first message')
  await page.locator('.new [data-outgoing=sending]').getByText('The first message').waitFor()
  await visitor.say('and the second')
  expect(await visitor.composer.inputValue()).toBe('and the second')
  release()
  await page.locator('.chat[data-phase=ready]').waitFor()
  await expect.poll(() => visitor.composer.inputValue()).toBe('and the second')
  expect(made).toEqual(['POST'])
  await page.goto(stage.server().url ?? '')
  await visitor.composer.waitFor()
  expect(await visitor.composer.inputValue()).toBe('')
  await page.close()
})

it('what cannot begin a session returns to the composer', async () => {
  const page = await stage.context.newPage()
  const visitor = chatOn(page)
  await page.goto(stage.server().url ?? '')
  await page.locator('.new .pick').first().waitFor()
  await page.route('**/api/sessions', (route) => route.abort())
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Add files' }).click(),
  ])
  await chooser.setFiles([{ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('some notes') }])
  const ready = page.locator('.composer-files [data-ready=true]')
  await ready.waitFor()
  await visitor.say('Words that are not lost')
  await page.getByRole('alert').waitFor()
  await expect.poll(() => visitor.composer.inputValue()).toBe('Words that are not lost')
  await expect.poll(() => ready.allInnerTexts()).toEqual(['notes.txt'])
  await visitor.composer.fill('')
  await page.close()
})

describe('a connection that is dead without a word', () => {
  /** A page whose first socket goes silent when it is told to. Its clock is ours. */
  const openSilent = async () => {
    const page = await stage.context.newPage()
    const state = { isSilent: false, opened: 0 }
    await page.clock.install()
    await page.routeWebSocket(/socket\.io/, (socket) => {
      const isFirst = state.opened++ === 0
      const server = socket.connectToServer()
      socket.onMessage((message) => {
        if (!(isFirst && state.isSilent)) server.send(message)
      })
      server.onMessage((message) => {
        if (!(isFirst && state.isSilent)) socket.send(message)
      })
    })
    await page.goto(stage.page.url())
    const silent = chatOn(page)
    await page.locator('.chat[data-phase=ready]').waitFor()
    return { page, silent, state }
  }

  it('console 60: is opened again within 45 s', async () => {
    await chat.begin('say Before the silence')
    await chat.answered('Before the silence')
    await chat.rests()
    const { page, silent, state } = await openSilent()
    state.isSilent = true
    await chat.say('say Into the silence')
    await chat.answered('Into the silence')
    // It stands still, so that no second beyond these is counted.
    await page.clock.pauseAt(Date.now() + 1_000)
    expect(state.opened).toBe(1)
    await page.clock.runFor(44_000)
    await expect.poll(() => state.opened).toBe(2)
    await page.clock.resume()
    await silent.answered('Into the silence')
    await page.close()
  })

  it('console 61: shows the right state after a sleep of ten minutes', async () => {
    const { page, silent, state } = await openSilent()
    state.isSilent = true
    await chat.say('say While it slept')
    await chat.answered('While it slept')
    await page.clock.fastForward('10:00')
    const woke = Date.now()
    await page.clock.resume()
    await silent.answered('While it slept')
    // 3 s on a quiet machine.
    expect(Date.now() - woke).toBeLessThan(30_000)
    await page.close()
  })
})

it('console 22: 10,000 turns open at their end, with few rows in the page', async () => {
  // 1.5 s on a quiet machine, which `npm run proof -- console` measures.
  await checkOpening(stage, { turns: 10_000, mostMs: 15_000, mostRows: 200 })
  const asked = await stage.page.evaluate(
    "performance.getEntriesByType('resource').filter(({ name }) => name.includes('/messages')).length",
  )
  expect(asked).toBe(0)
  // The place of every row is kept: the middle is loaded when it comes into view.
  await chat.answered('Answer 4999')
  await stage.page.mouse.move(700, 300)
  // Nothing has come since.
  const toEnd = stage.page.getByRole('button', { name: 'To the end' })
  const scrollUp = async (): Promise<boolean> => {
    await stage.page.mouse.wheel(0, -400)
    return toEnd.isVisible()
  }
  await expect.poll(scrollUp, { timeout: 15_000 }).toBe(true)
  await stage.page.evaluate("document.querySelector('[data-virtuoso-scroller]').scrollTo({ top: 0 })")
  await stage.page.locator('.said').getByText('Question 0', { exact: true }).waitFor()
  await stage.page.goto(stage.server().url ?? '')
})

describe('scrolling', () => {
  const place = () =>
    stage.page.evaluate(
      "(() => { const s = document.querySelector('[data-virtuoso-scroller]'); return [s.scrollTop, s.scrollHeight - s.scrollTop - s.clientHeight] })()",
    ) as Promise<[number, number]>

  it('console 20, 21: it follows at the end, never moves when scrolled up, and "New below" goes there', async () => {
    const long = (word: string) => Array.from({ length: 40 }, (_, index) => `say ${word} line ${index}\n`).join('\n')
    await chat.begin(`${long('Early')}\nsleep 1500\n${long('Middle')}\nsleep 2500\n${long('Late')}`)
    await chat.answered('Middle line 39')
    await expect.poll(async () => (await place())[1]).toBeLessThanOrEqual(48)
    await stage.page.mouse.move(700, 300)
    await stage.page.mouse.wheel(0, -400)
    await stage.page.getByRole('button', { name: 'New below' }).waitFor()
    const [before] = await place()
    await chat.answered('Late line 39')
    await chat.rests()
    expect((await place())[0]).toBe(before)
    await stage.page.getByRole('button', { name: 'New below' }).click()
    await expect.poll(async () => (await place())[1]).toBeLessThanOrEqual(48)
  })
})
