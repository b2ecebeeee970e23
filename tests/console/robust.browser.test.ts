import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Chat, chatOn } from './chat.ts'
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
    await chat.say('say Sent while away')
    const outgoing = stage.page.locator('[data-outgoing=sending]')
    await outgoing.waitFor()
    expect(await outgoing.innerText()).toContain('waits for the server')
    await stage.start()
    await chat.answered('Sent while away')
    await stage.page.locator('.banner').waitFor({ state: 'detached' })
    await chat.rests()
    expect(await stage.page.locator('.said').filter({ hasText: 'Sent while away' }).count()).toBe(1)
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
