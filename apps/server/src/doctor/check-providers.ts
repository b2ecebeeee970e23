import { findKeyedProviders, type Provider } from '@polylogue/models'
import { ConfigError } from '../config/config-error.ts'
import type { Patient } from './examine.ts'
import { fail, ok, type Finding } from './finding.ts'

const PATIENCE_MS = 3_000

/** Checks that providers with a key answer at all. The key itself is not sent. */
export async function checkProviders({ config, env }: Patient): Promise<readonly Finding[]> {
  // Without a configuration there may still be keys in the environment.
  const providers = findKeyedProviders(config instanceof ConfigError ? {} : config.providers, env)
  if (providers.length === 0)
    return [ok('providers', 'No provider has a key, so the built-in demo answers. What to set: polylogue models')]
  return Promise.all(providers.map(checkProvider))
}

async function checkProvider({ title, baseUrl, apiKeyFrom }: Provider): Promise<Finding> {
  const { host } = new URL(baseUrl)
  try {
    const response = await fetch(baseUrl, { redirect: 'manual', signal: AbortSignal.timeout(PATIENCE_MS) })
    await response.body?.cancel()
    return ok('providers', `${title} answers at ${host}; its key comes from ${apiKeyFrom}.`)
  } catch (error) {
    const reason = reasonOf(error)
    const remedy = `Check the network and the address; until then agents with its models fail.`
    return fail('providers', `${title} does not answer at ${host} (${reason}).`, remedy)
  }
}

/** `fetch` keeps the reason in `cause`. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') return cause.code
  return error.name === 'TimeoutError' ? `no answer in ${PATIENCE_MS / 1000} s` : error.name
}
