import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { Hono } from 'hono'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createAccessPolicy } from './access-policy.ts'
import { createAnswerError } from './answer-error.ts'
import { createHttpServer } from './http-server.ts'
import { createOpenAnswers } from './open-answers.ts'
import { createRequestListener, type HttpApp } from './request-listener.ts'
import { silentLog } from '../log/log.ts'

it('refuses requests without an answer, cuts answers that have begun, and serves on', async () => {
  const gate = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const routes: HttpApp = new Hono()
  routes.get('/late', async (c) => {
    asked.resolve()
    await gate.promise
    return c.json({ said: 'late' })
  })
  routes.get('/stream', () => new Response(new ReadableStream({ start: (to) => to.enqueue(Buffer.from('begun')) })))
  routes.get('/soon', (c) => c.text('soon'))
  const words = (_path: string, { message }: { readonly message: string }) => ({ error: message })
  const open = createOpenAnswers()
  const answerError = createAnswerError(silentLog, words)
  const server = createHttpServer(
    createRequestListener(async () => routes, {
      ...{ policy: createAccessPolicy({ host: '127.0.0.1', allowOrigins: [] }), words, ended: () => undefined },
      ...{ direct: [], quick: [], phase: () => 'ready', answerError, open },
    }),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const complained = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  onTestFinished(() => {
    complained.mockRestore()
    server.closeAllConnections()
    server.close()
  })
  const ask = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${port}${path}`)

  const late = ask('/late')
  await asked.promise
  const begun = (await ask('/stream')).text()
  open.end(answerError)
  const refused = await late
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toBe('2')
  expect(await refused.json()).toEqual({ error: 'the database does not answer; try again in a moment' })
  await expect(begun).rejects.toThrow('terminated')
  gate.resolve()
  await setImmediate()
  expect(await (await ask('/soon')).text()).toBe('soon')
  expect(complained).not.toHaveBeenCalled()
})
