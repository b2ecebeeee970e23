import { Hono } from 'hono'

/** For the owner socket of a process that an editor started: it releases the data directory to a server. */
export function createHandOverRoutes(handOver: () => void): Hono {
  const routes = new Hono()
  routes.post('/', (c) => {
    handOver()
    return c.json({}, 202)
  })
  return routes
}
