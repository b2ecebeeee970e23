import type { Exchange } from '../../support/http-exchange.ts'

/** The same request on another way: the server goes on being called by its own name. */
export function throughProxy(exchange: Exchange, proxy: { readonly url: string }): Exchange {
  const { origin, host } = new URL(exchange.url)
  return {
    ...exchange,
    url: exchange.url.replace(origin, proxy.url),
    headers: { ...exchange.headers, host },
  }
}
