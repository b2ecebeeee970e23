import type { RequestListener } from 'node:http'
import { afterEach } from 'vitest'
import type { createSelfSigned } from './self-signed.ts'
import { startWebSite, type WebSite } from './web-site.ts'

/** Returns a function that starts a web site. Every site stops after its test. */
export function usingWebSites() {
  const sites: WebSite[] = []
  afterEach(async () => {
    await Promise.all(sites.splice(0).map((site) => site.stop()))
  })
  return async (answer: RequestListener, secret?: ReturnType<typeof createSelfSigned>): Promise<WebSite> => {
    const site = await startWebSite(answer, secret)
    sites.push(site)
    return site
  }
}
