// What a hostile model or tool tries to reach, and how a page is checked that shows it.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'vitest'
import { call, script } from '../support/script.ts'
import { EXITS, TRIED, hostileCards } from './card-exits.ts'
import { chatOn } from './chat.ts'
import { hostileMarkup } from './hostile-markup.ts'
import { type Stage, openStage } from './stage.ts'

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** A server that nothing may reach, unless somebody agreed. */
export interface Canary {
  readonly host: string
  /** The paths that were asked for. */
  readonly reached: readonly string[]
  close(): void
}

export async function openCanary(): Promise<Canary> {
  const reached: string[] = []
  const server = createServer((request, response) => {
    reached.push(request.url ?? '')
    response.end(request.url === '/pixel.png' ? PIXEL : 'caught')
  })
  server.on('upgrade', (request) => reached.push(request.url ?? ''))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    host: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    reached,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** The server may fetch images from this machine; the browser asks nobody. */
export const openHostileStage = (): Promise<Stage> =>
  openStage({ config: () => ({ webFetch: { allowHosts: ['127.0.0.1'] } }) })

/** What was asked for before these requests has reached the network after them. */
export const settle = ({ page }: Stage): Promise<unknown> =>
  page.evaluate(
    "fetch('/icon.svg?1').then(() => fetch('/icon.svg?2')).then(() => new Promise((done) => requestIdleCallback(done)))",
  )

const said = (payload: string): string =>
  payload
    .split('\n')
    .map((line) => `say ${line}`)
    .join('\n')

const isEvery = (nth: number) => (_: unknown, index: number) => index % nth === 0

/** Every `nth` of the texts. */
export async function checkMarkup(stage: Stage, { host, reached }: Canary, nth = 1): Promise<string> {
  const all = hostileMarkup(host)
  expect(all.length).toBeGreaterThanOrEqual(200)
  const texts = all.filter(isEvery(nth))
  const chat = chatOn(stage.page)
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
  await settle(stage)
  expect(await stage.page.evaluate('globalThis.hurt')).toBeUndefined()
  expect(stage.complaints).toEqual([])
  expect(reached).toEqual([])
  return `${texts.length} texts`
}

export const card = (html: string, more: object = {}): string =>
  JSON.stringify({
    ok: true,
    _meta: { ui: { resourceHTML: html, target: 'inline', height: 240, title: 'A chart', ...more } },
  })

/** The card with all scripts, and every `nth` of those that leave by other ways. */
export async function checkCards(stage: Stage, { host, reached }: Canary, nth = 1): Promise<string> {
  expect(EXITS).toBeGreaterThanOrEqual(60)
  const chat = chatOn(stage.page)
  const [scripts = '', ...others] = hostileCards(host)
  const cards = [scripts, ...others.filter(isEvery(nth))]
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
    await settle(stage)
  }
  await expect.poll(() => stage.page.evaluate('globalThis.tried'), { timeout: 15_000 }).toBeGreaterThanOrEqual(TRIED)
  await settle(stage)
  expect(new URL(stage.page.url()).pathname).toMatch(/^\/s\//)
  expect(stage.context.pages().length).toBe(1)
  expect(reached).toEqual([])
  return `${TRIED + cards.length - 1} ways`
}
