import { createAgentCatalog } from '../agents/agent-catalog.ts'
import { ConfigError } from '../config/config-error.ts'
import { findKeyless } from '../agents/find-keyless.ts'
import { systemClock } from '../platform/system-clock.ts'
import type { Patient } from './examine.ts'
import { fail, ok, warn, type Finding } from './finding.ts'

const REMEDY = 'Set the key and start again. Until then it serves only sessions that bring a key of their own.'

export async function checkConfig({ config, env }: Patient): Promise<readonly Finding[]> {
  try {
    if (config instanceof ConfigError) throw config
    const { defaultModel } = config
    const parts = { scripted: false, clock: systemClock, env, ...(defaultModel !== undefined && { defaultModel }) }
    const catalog = createAgentCatalog(config, parts)
    const names = catalog.list().map(({ name }) => name)
    return [
      ok('configuration', `${config.file ?? 'No file, so the defaults hold'}. Agents: ${names.join(', ')}.`),
      ...findKeyless(catalog.list(), { config, env }).map(({ sentence }) => warn('configuration', sentence, REMEDY)),
    ]
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [fail('configuration', error.message, 'Correct it: until then the server does not start.')]
  }
}
