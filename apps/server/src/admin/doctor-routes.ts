import { Hono } from 'hono'
import type { LiveFacts } from '../doctor/live-facts.ts'

/** Only on the owner socket: it names files of this machine. */
export function createDoctorRoutes(facts: () => LiveFacts): Hono {
  const routes = new Hono()
  routes.get('/doctor', (c) => c.json(facts()))
  return routes
}
