// Samples of what is hostile; `npm run proof` tries all of it.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { call, script } from '../support/script.ts'
import { type Chat, chatOn } from './chat.ts'
import { type Canary, card, checkCards, checkMarkup, openCanary, openHostileStage, settle } from './hostile-lines.ts'
import type { Stage } from './stage.ts'

let stage: Stage
let chat: Chat
let canary: Canary

beforeAll(async () => {
  canary = await openCanary()
  stage = await openHostileStage()
  chat = chatOn(stage.page)
})
afterAll(async () => {
  await stage.close()
  canary.close()
})

it('console 67, 69: of hostile texts none runs a script, loads an image or breaks the policy', async () => {
  await checkMarkup(stage, canary, 4)
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

it('console 68: of the ways out of a card none reaches the canary', async () => {
  await checkCards(stage, canary, 4)
})

it('console 69: an image is asked for once, by the server, after somebody agreed to its whole address', async () => {
  const asked: string[] = []
  stage.page.on('request', (request) => {
    if (!request.url().startsWith(stage.server().url ?? '')) asked.push(request.url())
  })
  await chat.begin(
    script(`say ![a pixel](${canary.host}/pixel.png)`, '', `say ![no image](${canary.host}/page)`, '', 'say Seen.'),
  )
  await chat.answered('Seen.')
  await chat.rests()
  const hidden = stage.page.locator('.agent-row .hidden-image')
  await settle(stage)
  expect(canary.reached).toEqual([])
  await hidden.first().getByRole('button', { name: 'Show the image' }).click()
  const dialog = stage.page.getByRole('dialog', { name: 'Load this image?' })
  expect(await dialog.locator('.whole-url').innerText()).toBe(`${canary.host}/pixel.png`)
  await settle(stage)
  expect(canary.reached).toEqual([])
  await dialog.getByRole('button', { name: 'Show the image' }).click()
  const image = stage.page.locator('.agent-row img')
  await image.waitFor()
  await expect.poll(() => image.evaluate((one): unknown => Reflect.get(one, 'naturalWidth'))).toBe(1)
  expect(canary.reached).toEqual(['/pixel.png'])
  await hidden.getByRole('button', { name: 'Show the image' }).click()
  await dialog.getByRole('button', { name: 'Show the image' }).click()
  await hidden.getByRole('alert').getByText('This is no PNG, JPEG, GIF or WebP image.').waitFor()
  expect(asked.filter((url) => !url.startsWith('blob:'))).toEqual([])
})
