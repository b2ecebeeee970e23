import { describe, expect, it } from 'vitest'
import { QuickRoutes } from './quick-routes.ts'

const ID = '01900000-0000-7000-8000-000000000001'

function routes(): QuickRoutes {
  const quick = new QuickRoutes('/aap/v3', '/sessions')
  for (const route of ['GET /meta', 'GET /sessions', 'GET /sessions/:id', 'POST /sessions/:id/turns']) {
    const [method = '', path = ''] = route.split(' ')
    quick.add(method, path, async () => undefined)
  }
  return quick
}

describe('a request', () => {
  it.each([
    ['GET', '/aap/v3/meta', '/aap/v3/meta', ''],
    ['GET', '/aap/v3/sessions?after=x', '/aap/v3/sessions', ''],
    ['GET', `/aap/v3/sessions/${ID}`, '/aap/v3/sessions/:id', ID],
    ['POST', `/aap/v3/sessions/${ID}/turns`, '/aap/v3/sessions/:id/turns', ID],
    ['POST', `/aap/v3/sessions/${ID}/turns?x=/y`, '/aap/v3/sessions/:id/turns', ID],
    ['GET', '/aap/v3/sessions/no-id', '/aap/v3/sessions/:id', 'no-id'],
  ])('%s %s finds its route', (method, url, pattern, id) => {
    const found = routes().find(method, url)
    expect([found?.route.pattern, found?.id]).toEqual([pattern, id])
  })

  it.each([
    ['POST', '/aap/v3/meta'],
    ['HEAD', '/aap/v3/meta'],
    ['GET', '/aap/v3/meta/'],
    ['GET', '/aap/v3/sessions/'],
    ['GET', `/aap/v3/sessions/${ID}/`],
    ['GET', `/aap/v3/sessions/${ID}/turns`],
    ['POST', `/aap/v3/sessions/${ID}/turns/more`],
    ['GET', `/aap/v3/sessions/%30${ID.slice(1)}`],
    ['GET', `/aap/v1/sessions/${ID}`],
    ['GET', `/aap/v3/session/${ID}`],
    ['GET', ''],
  ])('%s %s is left to the router', (method, url) => {
    expect(routes().find(method, url)).toBe(undefined)
  })
})
