/** A browser without a window: keeps cookies by host, follows redirects, and fills in the forms of the provider. */
export class HttpBrowser {
  readonly #cookies = new Map<string, Map<string, string>>()
  /** Every answer, with the cookies that it set. */
  readonly trail: { readonly url: string; readonly status: number; readonly setCookie: readonly string[] }[] = []

  cookieHeader(url: string): string {
    return [...this.#jar(url)].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  forget(url: string, name: RegExp): void {
    const jar = this.#jar(url)
    for (const known of jar.keys()) if (name.test(known)) jar.delete(known)
  }

  async get(url: string): Promise<Response> {
    return this.#follow(url, {})
  }

  /** Signs in at the provider, which shows a form for the login and one for the consent. */
  async signIn(url: string, login: string): Promise<Response> {
    let response = await this.get(url)
    for (let forms = 0; forms < 2 && response.status === 200; forms++) {
      const html = await response.clone().text()
      const action = /<form[^>]* action="([^"]+)"/.exec(html)?.[1]
      if (action === undefined) break
      const prompt = /name="prompt" value="(\w+)"/.exec(html)?.[1] ?? ''
      const body = new URLSearchParams({ prompt, ...(prompt === 'login' && { login, password: 'any' }) })
      response = await this.#follow(new URL(action.replaceAll('&amp;', '&'), response.url).href, {
        method: 'POST',
        body,
      })
    }
    return response
  }

  #jar(url: string): Map<string, string> {
    const { host } = new URL(url)
    const jar = this.#cookies.get(host) ?? new Map<string, string>()
    this.#cookies.set(host, jar)
    return jar
  }

  async #follow(first: string, init: RequestInit): Promise<Response> {
    let [url, how] = [first, init]
    for (let hops = 0; hops < 12; hops++) {
      const headers = { cookie: this.cookieHeader(url) }
      const response = await fetch(url, { ...how, headers, redirect: 'manual' })
      const setCookie = response.headers.getSetCookie()
      this.trail.push({ url, status: response.status, setCookie })
      for (const cookie of setCookie) this.#keep(url, cookie)
      const location = response.headers.get('location')
      if (location === null) return response
      await response.body?.cancel()
      ;[url, how] = [new URL(location, url).href, {}]
    }
    throw new Error('too many redirects')
  }

  #keep(url: string, cookie: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
    const isEnded = /; *(?:max-age=0|expires=Thu, 01 Jan 1970)/i.test(cookie) || value === ''
    if (isEnded) this.#jar(url).delete(name)
    else this.#jar(url).set(name, value)
  }
}
