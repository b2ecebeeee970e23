import { once } from 'node:events'
import { type Server, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { call, script } from '../support/script.ts'
import { EXITS, TRIED, hostileCards } from './card-exits.ts'
import { type Chat, chatOn } from './chat.ts'
import { hostileMarkup } from './hostile-markup.ts'
import { type Stage, openStage } from './stage.ts'

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

let stage: Stage
let chat: Chat
let canary: Server
/** The paths that reached the canary. */
const reached: string[] = []
let host: string

beforeAll(async () => {
  canary = createServer((request, response) => {
    reached.push(request.url ?? '')
    response.end(request.url === '/pixel.png' ? PIXEL : 'caught')
  })
  canary.on('upgrade', (request) => reached.push(request.url ?? ''))
  canary.listen(0, '127.0.0.1')
  await once(canary, 'listening')
  host = `http://127.0.0.1:${(canary.address() as AddressInfo).port}`
  // The server may fetch images from this machine; the browser asks nobody.
  stage = await openStage({ config: () => ({ webFetch: { allowHosts: ['127.0.0.1'] } }) })
  chat = chatOn(stage.page)
})
afterAll(async () => {
  await stage.close()
  canary.closeAllConnections()
  canary.close()
})

/** What was asked for before these requests has reached the network after them. */
const settle = () =>
  stage.page.evaluate(
    "fetch('/icon.svg?1').then(() => fetch('/icon.svg?2')).then(() => new Promise((done) => requestIdleCallback(done)))",
  )
const said = (payload: string): string =>
  payload
    .split('\n')
    .map((line) => `say ${line}`)
    .join('\n')

it('console 67, 69: of 200 hostile texts none runs a script, loads an image or breaks the policy', async () => {
  const texts = hostileMarkup(host)
  expect(texts.length).toBeGreaterThanOrEqual(200)
  const size = 25
  for (let from = 0; from < texts.length; from += size) {
    const some = texts.slice(from, from + size).map(said)
    await chat.begin(script(...some.flatMap((text) => [text, '', '']), `say End ${from}`))
    await chat.answered(`End ${from}`)
    await chat.rests()
    const foreign =
      "document.querySelectorAll('.transcript :is(script, iframe, object, embed, form, style, link, img, svg:not(.lucide))').length"
    expect([from, await stage.page.evaluate(foreign)]).toEqual([from, 0])
  }
  await settle()
  expect(await stage.page.evaluate('globalThis.hurt')).toBeUndefined()
  expect(stage.complaints).toEqual([])
  expect(reached).toEqual([])
})

const card = (html: string, more: object = {}) =>
  JSON.stringify({
    ok: true,
    _meta: { ui: { resourceHTML: html, target: 'inline', height: 240, title: 'A chart', ...more } },
  })

it('console 18: a card shows inline and beside the chat, with its title and height', async () => {
  await stage.page.setViewportSize({ width: 1440, height: 900 })
  const html = '<p id=x>waiting</p><script>x.textContent = "drawn " + (1 + 1)</script>'
  await chat.begin(
    script(
      call('c1', 'echo', { msg: card(html) }),
      call('c2', 'echo', { msg: card(html, { target: 'preview', title: 'Beside' }) }),
      '---',
      'say Shown.',
    ),
  )
  await chat.answered('Shown.')
  const inline = stage.page.locator('.transcript [data-card=c1]')
  await inline.locator('iframe').contentFrame().getByText('drawn 2').waitFor()
  expect(await inline.locator('figcaption').innerText()).toBe('A chart')
  expect((await inline.locator('iframe').boundingBox())?.height).toBe(240)
  const beside = stage.page.locator('.panel [data-card=c2]')
  await beside.locator('iframe').contentFrame().getByText('drawn 2').waitFor()
  expect(await beside.locator('figcaption').innerText()).toBe('Beside')
  const answer = await stage.page.evaluate(
    "fetch(document.querySelector('iframe').getAttribute('src')).then((answer) => answer.status)",
  )
  expect(answer).toBe(403)
  const asked = await Promise.all(
    [await inline.locator('iframe').getAttribute('src'), await openCard('c1')].map(async (path) => {
      const read = () => fetch(`${stage.server().url}${path}`, { headers: { 'sec-fetch-dest': 'iframe' } })
      return [(await read()).status, (await read()).status]
    }),
  )
  // The frame has used its address; another one is used once.
  expect(asked).toEqual([
    [401, 401],
    [200, 401],
  ])
  const foreign = (await openCard('c1')).replace('/cards/c1', '/cards/c2')
  const other = await fetch(`${stage.server().url}${foreign}`, { headers: { 'sec-fetch-dest': 'iframe' } })
  expect(other.status).toBe(401)
})

/** A new address of a card in the open session. */
async function openCard(toolCallId: string): Promise<string> {
  const id = new URL(stage.page.url()).pathname.split('/')[2]
  const answer = await fetch(`${stage.server().url}/api/polylogue/sessions/${id}/cards/${toolCallId}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stage.server().localKey}`, 'content-type': 'application/json' },
    body: '{}',
  })
  expect(answer.status).toBe(201)
  return ((await answer.json()) as { url: string }).url
}

it(`console 68: of ${EXITS} ways out of a card none reaches the canary`, async () => {
  expect(EXITS).toBeGreaterThanOrEqual(60)
  const cards = hostileCards(host)
  await stage.page.evaluate(
    "globalThis.tried = 0; addEventListener('message', ({ data }) => (globalThis.tried += data === 'tried' ? 1 : 0))",
  )
  await chat.begin(
    script(...cards.map((html, index) => call(`x${index}`, 'echo', { msg: card(html) })), '---', 'say Tried.'),
  )
  await chat.answered('Tried.')
  for (const index of cards.keys()) {
    const frame = stage.page.locator(`[data-card=x${index}]`)
    await frame.scrollIntoViewIfNeeded()
    await frame.locator('iframe').waitFor()
    await settle()
  }
  await expect.poll(() => stage.page.evaluate('globalThis.tried'), { timeout: 15_000 }).toBeGreaterThanOrEqual(TRIED)
  await settle()
  expect(new URL(stage.page.url()).pathname).toMatch(/^\/s\//)
  expect(stage.context.pages().length).toBe(1)
  expect(reached).toEqual([])
})

it('console 69: an image is asked for once, by the server, after somebody agreed to its whole address', async () => {
  const asked: string[] = []
  stage.page.on('request', (request) => {
    if (!request.url().startsWith(stage.server().url ?? '')) asked.push(request.url())
  })
  await chat.begin(script(`say ![a pixel](${host}/pixel.png)`, '', `say ![no image](${host}/page)`, '', 'say Seen.'))
  await chat.answered('Seen.')
  await chat.rests()
  const hidden = stage.page.locator('.agent-row .hidden-image')
  await settle()
  expect(reached).toEqual([])
  await hidden.first().getByRole('button', { name: 'Show the image' }).click()
  const dialog = stage.page.getByRole('dialog', { name: 'Load this image?' })
  expect(await dialog.locator('.whole-url').innerText()).toBe(`${host}/pixel.png`)
  await settle()
  expect(reached).toEqual([])
  await dialog.getByRole('button', { name: 'Show the image' }).click()
  const image = stage.page.locator('.agent-row img')
  await image.waitFor()
  await expect.poll(() => image.evaluate((one): unknown => Reflect.get(one, 'naturalWidth'))).toBe(1)
  expect(reached).toEqual(['/pixel.png'])
  await hidden.getByRole('button', { name: 'Show the image' }).click()
  await dialog.getByRole('button', { name: 'Show the image' }).click()
  await hidden.getByRole('alert').getByText('This is no PNG, JPEG, GIF or WebP image.').waitFor()
  expect(asked.filter((url) => !url.startsWith('blob:'))).toEqual([])
})
