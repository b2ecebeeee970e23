import { createWebFetchTool, type WebFetchOptions } from '@polylogue/tools'
import { createInvocation } from '@polylogue/testkit'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { RequestListener } from 'node:http'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startCanary, type Canary } from './canary.ts'
import { fetchCarelessly } from './careless-client.ts'
import { NOT_FETCHABLE, SPELLINGS, type Spelling } from './spellings.ts'

/** How many sockets this process began to connect: a witness beside the canary, for addresses where none can sit. */
let attempts = 0
const countAttempt = (): void => void (attempts += 1)

let canary: Canary
beforeAll(async () => {
  canary = await startCanary(['0.0.0.0', '::1'])
  subscribe('net.client.socket', countAttempt)
})
afterAll(async () => {
  unsubscribe('net.client.socket', countAttempt)
  await canary.stop()
})
beforeEach(() => void (attempts = 0))

/** What became of it, in words. */
async function fetchWith(url: string, options: WebFetchOptions): Promise<string> {
  const tool = createWebFetchTool(options)
  return tool.run(createInvocation(tool, { url })).then(
    ({ content }) => String(content),
    (error: unknown) => String(error),
  )
}

function resolverOf({ addresses }: Pick<Spelling, 'addresses'>): NonNullable<WebFetchOptions['resolve']> {
  return async (host) => addresses ?? Promise.reject(new Error(`${host} was to be resolved, and is no name`))
}

const withPort = (url: string, port = canary.port): string => url.replaceAll('PORT', String(port))

describe(`C10: each of ${SPELLINGS.length} ways to write an inner address is refused before a socket is made`, () => {
  it('there are 400 of them, none twice', () => {
    expect(SPELLINGS.length).toBeGreaterThanOrEqual(400)
    expect(new Set(SPELLINGS.map(({ url, addresses }) => `${url} ${addresses?.join()}`)).size).toBe(SPELLINGS.length)
  })

  it.each(
    SPELLINGS.map((spelling) => ({ ...spelling, name: JSON.stringify(spelling.url), to: spelling.addresses ?? '' })),
  )('$name $to', async (spelling) => {
    const before = canary.connections()
    // The port of the canary is made one of the web, so that the address is the only reason to refuse it.
    const options = { ports: [canary.port], resolve: resolverOf(spelling) }
    expect(await fetchWith(withPort(spelling.url), options)).toMatch(/^Error: \S+ is not on the public network\.$/)
    expect({ attempts, connections: canary.connections() - before }).toEqual({ attempts: 0, connections: 0 })
  })

  it.each(NOT_FETCHABLE)('%s is no http or https URL', async (url) => {
    expect(await fetchWith(withPort(url), { ports: [canary.port], allowHosts: ['127.0.0.0/8'] })).toBe(
      'Error: url: must be an http or https URL',
    )
    expect(attempts).toBe(0)
  })

  it('and a client that looks at the text reaches the canary by most of those that lead there', async () => {
    const leading = SPELLINGS.filter(({ leadsToLoopback }) => leadsToLoopback)
    const before = canary.connections()
    const reached: string[] = []
    for (const { url, addresses } of leading)
      if (await fetchCarelessly(withPort(url), () => addresses ?? [])) reached.push(url)
    expect(canary.connections() - before).toBe(reached.length)
    expect(leading.length).toBeGreaterThanOrEqual(150)
    expect(reached.length).toBeGreaterThanOrEqual(leading.length * 0.8)
  })
})

describe('C10: no answer of a server leads to an inner address', () => {
  let bait: Canary | undefined
  afterEach(async () => {
    await bait?.stop()
    bait = undefined
  })

  const serveBait = async (answer: RequestListener): Promise<Canary> => {
    bait = await startCanary(['127.0.0.1'], { answer })
    return bait
  }
  /** The bait is a host that may be asked; only its very address is open. */
  const toBait = { allowHosts: ['127.0.0.1'], resolve: async () => ['127.0.0.1'] }
  /** Those that a header can carry and that mean the same there as in a call. */
  const targets = SPELLINGS.filter(({ leadsToLoopback, addresses }) => leadsToLoopback && addresses === undefined)
    .map(({ url }) => url.replace(/[^ -~]/gu, encodeURIComponent))
    .filter((url) => !/^http:\/?[^/\\]/.test(url) && !/%0[9A]/.test(url))

  it.each([301, 302, 303, 307, 308])('a redirect %i to any of the spellings', async (status) => {
    let location = ''
    const { port } = await serveBait((_, response) => response.writeHead(status, { location }).end())
    const before = canary.connections()
    for (const target of targets) {
      location = withPort(target)
      attempts = 0
      const told = await fetchWith(`http://bait.test:${port}/`, toBait)
      expect(told).toMatch(/redirects to another host\. To go on, fetch this URL: http:/)
      expect(attempts).toBe(1)
    }
    expect(canary.connections() - before).toBe(0)
    let reached = 0
    for (const target of targets.filter((_, at) => at % 10 === 0)) {
      location = withPort(target)
      if (await fetchCarelessly(`http://bait.test:${port}/`, () => ['127.0.0.1'])) reached += 1
    }
    expect(canary.connections() - before).toBe(reached)
    expect(reached).toBeGreaterThanOrEqual(10)
  })

  it('a chain of redirects on one host whose name moves to an inner address on the way', async () => {
    const { port } = await serveBait((request, response) => {
      const step = Number(request.url?.slice(1))
      const location = step < 2 ? `/${step + 1}` : `http://bait.test:${canary.port}/`
      response.writeHead(307, { location }).end()
    })
    const before = canary.connections()
    for (const inner of ['127.0.0.2', '::1', '0.0.0.0', '::ffff:127.0.0.2', '10.0.0.1', '169.254.169.254']) {
      const answers = ['127.0.0.1', '127.0.0.1', '127.0.0.1', inner]
      attempts = 0
      const told = await fetchWith(`http://bait.test:${port}/0`, {
        allowHosts: ['127.0.0.1'],
        ports: [port, canary.port],
        resolve: async () => answers.splice(0, 1),
      })
      expect(told).toBe('Error: bait.test is not on the public network.')
      expect({ attempts, left: answers.length }).toEqual({ attempts: 3, left: 0 })
    }
    expect(canary.connections() - before).toBe(0)
  })

  it('a name that answers differently when asked again is asked once, and the answer is used', async () => {
    const { port } = await serveBait((_, response) => response.end('public'))
    const inner = await startCanary(['127.0.0.2'], { port })
    try {
      const rebinding = (): (() => string[]) => {
        const answers = ['127.0.0.1']
        return () => [answers.pop() ?? '127.0.0.2']
      }
      const resolve = rebinding()
      const told = await fetchWith(`http://bait.test:${port}/`, {
        allowHosts: ['127.0.0.1'],
        resolve: async () => resolve(),
      })
      expect(told).toMatch(/public$/)
      expect(inner.connections()).toBe(0)
      // A client that resolves to look, and lets the connection resolve again, is taken in.
      const naive = rebinding()
      expect(naive()).toEqual(['127.0.0.1'])
      expect(await fetchCarelessly(`http://bait.test:${port}/`, naive)).toBe(true)
      expect(inner.connections()).toBe(1)
    } finally {
      await inner.stop()
    }
  })

  it('a page that would send a browser there is only read', async () => {
    const inner = `http://127.0.0.1:${canary.port}/`
    const { port } = await serveBait((_, response) => {
      response.writeHead(200, {
        'content-type': 'text/html',
        refresh: `0;url=${inner}`,
        link: `<${inner}>; rel=preload`,
      })
      response.end(
        `<meta http-equiv="refresh" content="0;url=${inner}"><base href="${inner}"><link rel=stylesheet href="${inner}">` +
          `<script src="${inner}"></script><img src="${inner}" alt="i"><iframe src="${inner}"></iframe>` +
          `<script>location = "${inner}"</script><p>Text</p>`,
      )
    })
    const before = canary.connections()
    expect(await fetchWith(`http://bait.test:${port}/`, toBait)).toMatch(/\n\n\[image: i\]\n\nText$/)
    expect({ attempts, connections: canary.connections() - before }).toEqual({ attempts: 1, connections: 0 })
  })

  it.each(['http_proxy', 'HTTP_PROXY', 'all_proxy'])(
    '%s in the environment, which would resolve names itself',
    async (name) => {
      const { port } = await serveBait((_, response) => response.end('direct'))
      const before = canary.connections()
      const kept = process.env[name]
      process.env[name] = `http://127.0.0.1:${canary.port}`
      try {
        expect(await fetchWith(`http://bait.test:${port}/`, toBait)).toMatch(/direct$/)
      } finally {
        if (kept === undefined) delete process.env[name]
        else process.env[name] = kept
      }
      expect(canary.connections() - before).toBe(0)
    },
  )
})

describe('C10: an operator opens exactly the listed origins', () => {
  it.each<[string, string, RegExp]>([
    ['127.0.0.1', 'http://127.0.0.1:PORT/', /secret$/],
    ['127.0.0.1', 'http://0x7f.1:PORT/', /secret$/],
    ['127.0.0.0/8', 'http://127.9.9.9:PORT/', /secret$/],
    ['127.0.0.1', 'http://127.0.0.2:PORT/', /not on the public network/],
    ['127.0.0.1', 'http://0.0.0.0:PORT/', /not on the public network/],
    ['wiki.test', 'http://wiki.test:PORT/', /secret$/],
    ['wiki.test', 'http://127.0.0.1:PORT/', /not on the public network/],
    ['wiki.test', 'http://other.test:PORT/', /not on the public network/],
    ['.wiki.test', 'http://a.wiki.test:PORT/', /secret$/],
  ])('%s: %s', async (entry, url, outcome) => {
    const options = { allowHosts: [entry], resolve: async () => ['127.0.0.1'] }
    expect(await fetchWith(withPort(url), options)).toMatch(outcome)
  })

  it('an open address that leads to another one is left before a byte is sent', async () => {
    let asked = 0
    const inner = await startCanary(['127.0.0.1'], {
      answer: (_, response) => void ((asked += 1), response.end('secret')),
    })
    // The system takes the address 0.0.0.0 for loopback: what was asked for is not what is connected.
    const told = await fetchWith(`http://0.0.0.0:${inner.port}/`, { allowHosts: ['0.0.0.0'] })
    await inner.stop()
    expect(told).toMatch(/0\.0\.0\.0 is not on the public network\.$/)
    expect({ connections: inner.connections(), asked }).toEqual({ connections: 1, asked: 0 })
  })
})
