import { createFakeClock, createInvocation } from '@polylogue/testkit'
import type { RequestListener, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createWebFetchTool } from './web-fetch-tool.ts'
import { fetchFrom, intranet, page } from './test-support/fetch-from.ts'
import { usingWebSites } from './test-support/using-web-sites.ts'

const serve = usingWebSites()

describe('S10: a redirect', () => {
  const redirectTo =
    (status: number, location: string): RequestListener =>
    (request, response) =>
      request.url === '/end' ? response.end('arrived') : response.writeHead(status, { location }).end()

  it.each([301, 302, 303, 307, 308])('%i is followed on the same host', async (status) => {
    const { port } = await serve(redirectTo(status, '/end'))
    expect((await fetchFrom({ url: `http://site.test:${port}/` })).content).toMatch(
      new RegExp(`^http://site.test:${port}/end .*arrived$`, 's'),
    )
  })

  it('is followed to the www of the host', async () => {
    const site = await serve((request, response) =>
      redirectTo(301, `http://www.site.test:${site.port}/end`)(request, response),
    )
    expect((await fetchFrom({ url: `http://site.test:${site.port}/` })).content).toMatch(/arrived$/)
  })

  it('to another host is reported and not followed, because that host is not allowed', async () => {
    const { port } = await serve(redirectTo(302, 'http://other.site.test/x?q=1#f'))
    expect(await fetchFrom({ url: `http://site.test:${port}/` })).toEqual({
      content: `http://site.test:${port}/ redirects to another host. To go on, fetch this URL: http://other.site.test/x?q=1`,
    })
  })

  it('is followed three times and not four', async () => {
    const { port, asked } = await serve((request, response) => {
      const left = Number(request.url?.slice(1))
      if (left === 0) response.end('arrived')
      else response.writeHead(302, { location: `/${left - 1}` }).end()
    })
    expect((await fetchFrom({ url: `http://site.test:${port}/3` })).content).toMatch(/arrived$/)
    expect(asked).toHaveLength(4)
    await expect(fetchFrom({ url: `http://site.test:${port}/4` })).rejects.toThrow('redirects more than 3 times')
    expect(asked).toHaveLength(8)
  })

  it.each(['file:///etc/passwd', 'ftp://site.test/', 'javascript:alert(1)', 'http://', 'gopher://site.test:70/x'])(
    'to %s ends it',
    async (location) => {
      const { port } = await serve(redirectTo(302, location))
      await expect(fetchFrom({ url: `http://site.test:${port}/` })).rejects.toThrow('no http or https URL')
    },
  )

  it('resolves the name again, and is refused when it has moved to an inner address', async () => {
    const { port, connections } = await serve(redirectTo(302, '/end'))
    const answers = [['127.0.0.1'], ['127.0.0.2']]
    const resolve = async (): Promise<string[]> => answers.shift() ?? []
    const fetching = fetchFrom({ url: `http://site.test:${port}/` }, { allowHosts: ['127.0.0.1'], resolve })
    await expect(fetching).rejects.toThrow('site.test is not on the public network.')
    expect(connections()).toBe(1)
  })
})

describe('S10: a page is bounded', () => {
  const MIB = 1024 * 1024

  const text = (response: ServerResponse, headers: Record<string, string> = {}): ServerResponse =>
    response.writeHead(200, { 'content-type': 'text/plain', ...headers })

  it.each<[string, RequestListener]>([
    ['that says it is longer', (_, response) => void text(response, { 'content-length': `${11 * MIB}` }).write('a')],
    [
      'that is longer',
      (_, response) => {
        text(response)
        for (let mib = 0; mib < 11; mib += 1) response.write(Buffer.alloc(MIB, 'a'))
        response.end()
      },
    ],
    [
      'that unpacks to more',
      (_, response) => text(response, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(64 * MIB))),
    ],
    [
      'that is packed into more than it is',
      (_, response) => {
        text(response, { 'content-encoding': 'gzip' })
        const nothing = Buffer.concat(Array<Buffer>(60_000).fill(gzipSync('')))
        for (let sent = 0; sent < 11 * MIB; sent += nothing.length) response.write(nothing)
        response.end()
      },
    ],
  ])('at 10 MiB: one %s is refused', async (_, answer) => {
    const { port } = await serve(answer)
    await expect(fetchFrom({ url: `http://site.test:${port}/` })).rejects.toThrow('The page is larger than 10 MiB.')
  })

  it.each(['gzip, gzip', 'zstd', 'compress'])('packed as %s it is refused', async (encoding) => {
    const { port } = await serve((_, response) => void text(response, { 'content-encoding': encoding }).write('a'))
    await expect(fetchFrom({ url: `http://site.test:${port}/` })).rejects.toThrow('packed in a way')
  })

  it('packed badly it is refused', async () => {
    const { port } = await serve((_, response) => void text(response, { 'content-encoding': 'gzip' }).end('no gzip'))
    await expect(fetchFrom({ url: `http://site.test:${port}/` })).rejects.toThrow('Z_DATA_ERROR')
  })

  it.each<[string, (response: ServerResponse) => void]>([
    ['never answers', () => {}],
    ['answers and never ends', (response) => void text(response).write('a')],
  ])('at 20 seconds: a server that %s is left', async (_, answer) => {
    const clock = createFakeClock()
    const reached = Promise.withResolvers<void>()
    const left = Promise.withResolvers<void>()
    const { port } = await serve((request, response) => {
      request.on('close', left.resolve)
      answer(response)
      reached.resolve()
    })
    const fetching = fetchFrom({ url: `http://site.test:${port}/` }, { ...intranet, clock })
    fetching.catch(() => {})
    await reached.promise
    clock.advance(19_999)
    expect(clock.pendingTimers()).toBe(1)
    clock.advance(1)
    await expect(fetching).rejects.toThrow('The page took longer than 20 seconds.')
    await left.promise
    expect(clock.pendingTimers()).toBe(0)
  })

  it('by its caller: a cancelled call abandons an unresolved name, and the server', async () => {
    const controller = new AbortController()
    const asking = Promise.withResolvers<void>()
    const resolve = (): Promise<string[]> => {
      asking.resolve()
      return new Promise(() => {})
    }
    const tool = createWebFetchTool({ resolve })
    const input = { url: 'http://site.test/' }
    const fetching = tool.run(createInvocation(tool, input, { signal: controller.signal }))
    await asking.promise
    controller.abort(new Error('cancelled'))
    await expect(fetching).rejects.toThrow('cancelled')
  })
})

describe('S10: nothing is connected', () => {
  it('without a grant that was issued for this tool', async () => {
    const { port, connections } = await serve(page('text/plain', 'secret'))
    const tool = createWebFetchTool(intranet)
    const invocation = createInvocation(tool, { url: `http://site.test:${port}/` })
    const forged = { ...invocation, grant: { ...invocation.grant } }
    await expect(tool.run(forged)).rejects.toThrow('no grant was issued')
    const other = createInvocation({ ...tool, name: 'Bash' }, { url: `http://site.test:${port}/` })
    await expect(tool.run(other)).rejects.toThrow('the grant is for Bash, not for WebFetch')
    expect(connections()).toBe(0)
  })

  it('to a port that is not of the web, unless the operator opened the host', async () => {
    const resolve = async (): Promise<string[]> => ['93.184.215.14']
    const fetching = fetchFrom({ url: 'http://mail.test:25/' }, { resolve })
    await expect(fetching).rejects.toThrow('Port 25 is not one of those that may be used: 80, 443, 8080, 8443.')
  })

  it('when the name has no address, or what it has is no address', async () => {
    const url = 'http://site.test/'
    await expect(fetchFrom({ url }, { resolve: async () => [] })).rejects.toThrow('No address was found for site.test.')
    const failing = fetchFrom({ url }, { resolve: () => Promise.reject(new Error('ENOTFOUND')) })
    await expect(failing).rejects.toThrow('No address was found for site.test.')
    const strange = fetchFrom({ url }, { resolve: async () => ['localhost'] })
    await expect(strange).rejects.toThrow('site.test is not on the public network.')
  })

  it('and the failure of one address is not the failure of the next', async () => {
    const { port } = await serve(page('text/plain', 'reached'))
    const resolve = async (): Promise<string[]> => ['127.9.9.9', '127.0.0.1']
    expect((await fetchFrom({ url: `http://site.test:${port}/` }, { ...intranet, resolve })).content).toMatch(
      /reached$/,
    )
  })
})
