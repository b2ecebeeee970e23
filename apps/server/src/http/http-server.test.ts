import { expect, it } from 'vitest'
import { HttpRefusal } from './http-refusal.ts'
import { createHttpServer } from './http-server.ts'
import { exchange } from '../test-support/exchange.ts'
import { startListener } from '../test-support/start-listener.ts'
import { requireCaller } from './require-caller.ts'

it('gives slow clients ten seconds for the head of a request and thirty for all of it', () => {
  const server = createHttpServer(() => undefined)
  expect(server).toMatchObject({ headersTimeout: 10_000, requestTimeout: 30_000, timeout: 0 })
})

it('a refused caller is told when to come back, or what to show', async () => {
  const { url } = await startListener({
    routes: (app) => {
      app.use(
        '/limited',
        requireCaller(async () => ({ type: 'refused', status: 429, error: 'Slow.', retryAfterS: 42 })),
      )
      app.use(
        '/closed',
        requireCaller(async () => ({ type: 'refused', status: 401, error: 'Unauthorized' })),
      )
      app.get('/broken', () => {
        throw new HttpRefusal(409, 'Busy.')
      })
    },
  })
  const limited = await exchange(`${url}/limited`)
  expect([limited.status, limited.headers['retry-after'], limited.body]).toEqual([429, '42', { error: 'Slow.' }])
  const closed = await exchange(`${url}/closed`)
  expect([closed.status, closed.headers['www-authenticate'], closed.body]).toEqual([
    401,
    'Bearer',
    { error: 'Unauthorized' },
  ])
  expect(await exchange(`${url}/broken`)).toMatchObject({ status: 409, body: { error: 'Busy.' } })
})
