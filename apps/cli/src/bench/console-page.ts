import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { percentile, round, type BenchRow } from './bench-result.ts'
import { startPolylogue, type ChildServer } from './child-server.ts'
import { measureBundle } from './console-bundle.ts'

const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const FIRST_PAINT_MS = 1_000
const OPEN_MS = 1_500
const LONGEST_TASK_MS = 50
const TYPING_MS = 100
const TURNS = 10_000
const PER_SECOND = 100

/** What the page needs of a browser: the part of playwright-core that is used here. */
interface Page {
  goto(url: string): Promise<unknown>
  evaluate(script: string): Promise<unknown>
  waitForSelector(selector: string): Promise<unknown>
  fill(selector: string, text: string): Promise<unknown>
  press(selector: string, key: string): Promise<unknown>
  close(): Promise<unknown>
}
interface Chromium {
  launch(options: object): Promise<{ newPage(): Promise<Page>; close(): Promise<unknown> }>
}

/** The bundle, and in a browser the first paint, a long session and a fast answer. Without a browser, the bundle alone. */
export async function measureConsole(isQuick: boolean): Promise<readonly BenchRow[]> {
  const server = await startPolylogue()
  try {
    const bundle = await measureBundle(server.url)
    const chromium = findChromium()
    const executablePath = BROWSERS.find((path) => existsSync(path))
    if (chromium === undefined || executablePath === undefined) {
      process.stderr.write('The rows of the page need a checkout with its packages, and Chromium.\n')
      return bundle
    }
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
    try {
      const page = await browser.newPage()
      await signIn(page, server)
      const rounds = isQuick ? 3 : 9
      const paints = await repeat(rounds, () => firstPaint(page, server))
      const opened = await measureLongSession(page, server, rounds)
      const fast = await measureFastAnswer(page, server, isQuick ? 5 : 60)
      return [...bundle, toRow('first paint', percentile(paints, 0.5), FIRST_PAINT_MS), opened, ...fast]
    } finally {
      await browser.close()
    }
  } finally {
    await server.stop()
  }
}

/** It is there in a checkout, and not in the published package. */
function findChromium(): Chromium | undefined {
  try {
    const module: unknown = createRequire(import.meta.url)('playwright-core')
    const found = typeof module === 'object' && module !== null && 'chromium' in module ? module.chromium : undefined
    return isChromium(found) ? found : undefined
  } catch {
    return undefined
  }
}

const isChromium = (value: unknown): value is Chromium =>
  typeof value === 'object' && value !== null && 'launch' in value && typeof value.launch === 'function'

async function signIn(page: Page, { url, key }: ChildServer): Promise<void> {
  await page.goto(url.href)
  await page.waitForSelector('input[type=password]')
  await page.fill('input[type=password]', key)
  await page.press('input[type=password]', 'Enter')
  await page.waitForSelector('.composer textarea')
}

async function firstPaint(page: Page, { url }: ChildServer): Promise<number> {
  await page.goto(url.href)
  await page.waitForSelector('.composer textarea')
  return Number(await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Infinity"))
}

async function measureLongSession(page: Page, server: ChildServer, rounds: number): Promise<BenchRow> {
  const messages = Array.from({ length: TURNS / 2 }, (_, index) => [
    { role: 'user', content: `Question ${index}` },
    { role: 'assistant', content: `Answer ${index}` },
  ]).flat()
  const id = await create(server, { agent: { name: 'scripted' }, messages })
  const times = await repeat(rounds, async () => {
    await page.goto(new URL(`/s/${id}`, server.url).href)
    await page.waitForSelector('.agent-row .markdown')
    return Number(await page.evaluate('performance.now()'))
  })
  return toRow(`${TURNS.toLocaleString('en')} turns open at their end`, percentile(times, 0.5), OPEN_MS)
}

async function measureFastAnswer(page: Page, server: ChildServer, seconds: number): Promise<readonly BenchRow[]> {
  const id = await create(server, { agent: { name: 'scripted' } })
  await page.goto(new URL(`/s/${id}`, server.url).href)
  await page.waitForSelector('.chat[data-phase=ready] .composer textarea')
  const words = Array.from({ length: seconds * PER_SECOND }, (_, index) => `say word${index} \nsleep 10`)
  // Not typed into the page: Chromium's insertion of so many lines takes minutes.
  const turn = await post(server, `/aap/v3/sessions/${id}/turns`, {
    stream: 'delta',
    messages: [{ role: 'user', content: words.join('\n') }],
  })
  await page.waitForSelector('.agent-row .markdown')
  const { longest, delays } = JSON.parse(String(await page.evaluate(WATCH))) as Watched
  await turn.body?.cancel()
  const what = `at ${PER_SECOND} deltas/s for ${seconds} s`
  return [
    toRow(`longest task ${what}`, longest, LONGEST_TASK_MS),
    toRow(`a typed character ${what}, slowest of ${delays.length}`, Math.max(...delays), TYPING_MS),
  ]
}

interface Watched {
  readonly longest: number
  readonly delays: readonly number[]
}

/** Types a character four times a second until the turn ends. */
const WATCH = `new Promise((done) => {
  let longest = 0
  const delays = []
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longest = Math.max(longest, duration)
  })
  observer.observe({ type: 'longtask' })
  const type = () => {
    if (document.querySelector('.composer-stop') === null) return done(JSON.stringify({ longest, delays }))
    const began = performance.now()
    document.querySelector('.composer textarea').focus()
    document.execCommand('insertText', false, 'x')
    requestAnimationFrame(() => requestAnimationFrame(() => {
      delays.push(performance.now() - began)
      setTimeout(type, 250)
    }))
  }
  setTimeout(type, 250)
})`

const post = ({ url, key }: ChildServer, path: string, body: object): Promise<Response> =>
  fetch(new URL(path, url), {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

async function create(server: ChildServer, body: object): Promise<string> {
  const made: unknown = await (await post(server, '/aap/v3/sessions', body)).json()
  if (typeof made === 'object' && made !== null && 'sessionId' in made) return String(made.sessionId)
  throw new Error(`the server made no session: ${JSON.stringify(made)}`)
}

async function repeat(rounds: number, measure: () => Promise<number>): Promise<readonly number[]> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) times.push(await measure())
  return times
}

const toRow = (what: string, ms: number, budgetMs: number): BenchRow => ({
  name: `Console: ${what}`,
  measured: `${round(ms, 0)} ms`,
  budget: `≤ ${budgetMs} ms`,
  isMet: ms <= budgetMs,
  figures: { ms: round(ms, 1) },
})
