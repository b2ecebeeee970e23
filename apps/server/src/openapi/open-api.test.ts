import { describe, expect, it } from 'vitest'
import { exchange } from '../test-support/exchange.ts'
import { startServer } from '../test-support/start-server.ts'

/** Pages and their files, and the two steps of a redirect that only browsers take. */
const PAGES =
  /^GET \/(?:$|assets\/|icon\.svg$|s\/|inbox$|sessions$|usage$|schedules|manage(?:\/|$)|settings$|connect$|signin$|signin\/oidc|docs|openapi\.json$)/

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>
}

/** `:id` and `{sid}` are both a parameter. */
const plain = (route: string): string => route.replaceAll(/:\w+(?:\{[^}]*\})?|\{\w+\}/g, '{}').replace(/\/$/, '')

describe('the one document of every HTTP API', () => {
  it('has every route that is served, and no other', async () => {
    const server = await startServer()
    const { body } = await exchange(`${server.url}/openapi.json`)
    const { paths } = body as Document
    const documented = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => plain(`${method.toUpperCase()} ${path}`)),
    )
    const served = (await server.routes()).filter((route) => !PAGES.test(route)).map(plain)
    expect(new Set(documented)).toEqual(new Set(served))
  })

  it('names every operation once', async () => {
    const server = await startServer()
    const { body } = await exchange(`${server.url}/openapi.json`)
    const names = Object.values((body as Document).paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    )
    expect(names.length).toBeGreaterThan(90)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })

  it('distinguishes streams from whole answers', async () => {
    const server = await startServer()
    const { body } = await exchange(`${server.url}/openapi.json`)
    expect(body).toMatchObject({
      paths: {
        '/aap/v3/sessions/{id}/turns': {
          post: {
            responses: {
              200: {
                content: {
                  'application/json': { schema: { $ref: '#/components/schemas/AapTurnResponse' } },
                  'text/event-stream': { schema: { $ref: '#/components/schemas/AapEvent' } },
                },
              },
            },
          },
        },
      },
    })
  })
})
