// The bare limit of a GET: Hono on its Node adapter, answering from memory with a body of the same size as ours.
import { serve } from '@hono/node-server'
import { Hono } from 'hono'

let meta: unknown = {}
let session: unknown = {}
const app = new Hono()
app.put('/body', async (c) => {
  if (c.req.query('load') === 'meta') meta = await c.req.json()
  else session = await c.req.json()
  return c.json({})
})
app.post('/aap/v3/sessions', (c) => c.json({ sessionId: 'bare' }, 201))
app.get('/aap/v3/meta', (c) => c.json(meta))
app.get('/aap/v3/sessions/:id', (c) => c.json(session))
const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`)
})
process.on('SIGTERM', () => {
  server.close()
  process.exit(0)
})
