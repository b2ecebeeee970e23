import { Hono } from 'hono'
import type { LiveFacts } from '../doctor/live-facts.ts'

/** Only on the owner socket: it names files of this machine. */
export function createDoctorRoutes(facts: () => Promise<LiveFacts>): Hono {
  const routes = new Hono()
  routes.get('/doctor', async (c) => c.json(await facts()))
  return routes
}
