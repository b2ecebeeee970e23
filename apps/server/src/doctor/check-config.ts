import { createAgentCatalog } from '../agents/agent-catalog.ts'
import { ConfigError } from '../config/config-error.ts'
import { loadConfig } from '../config/load-config.ts'
import { systemClock } from '../platform/system-clock.ts'
import type { Patient } from './examine.ts'
import { fail, ok, type Finding } from './finding.ts'

export async function checkConfig({ startDir, configFile }: Patient): Promise<readonly Finding[]> {
  try {
    const config = await loadConfig({ directory: startDir, ...(configFile !== undefined && { file: configFile }) })
    const catalog = createAgentCatalog(config, { scripted: false, clock: systemClock })
    const names = catalog.list().map(({ name, modelName }) => `${name} (${modelName})`)
    return [ok('configuration', `${config.file ?? 'No file, so the defaults hold'}. Agents: ${names.join(', ')}.`)]
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [fail('configuration', error.message, 'Correct it: until then the server does not start.')]
  }
}
