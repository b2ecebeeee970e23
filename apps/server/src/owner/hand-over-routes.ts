import { Hono } from 'hono'

export const HAND_OVER_PATH = '/api/polylogue/hand-over'

/** On the owner socket of a process that an editor started: it gives the data directory up to a server that wants it. */
export function createHandOverRoutes(handOver: () => void): Hono {
  const routes = new Hono()
  routes.post('/', (c) => {
    handOver()
    return c.json({}, 202)
  })
  return routes
}
