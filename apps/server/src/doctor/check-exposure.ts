import { ConfigError } from '../config/config-error.ts'
import type { ToolSettings } from '../config/tool-settings.ts'
import type { Patient } from './examine.ts'
import { findConfinement } from '../platform/confinement.ts'
import { ok, warn, type Finding } from './finding.ts'

/** What nothing keeps away: said at every examination, because it is easily forgotten. */
export async function checkExposure({ config }: Patient): Promise<readonly Finding[]> {
  const bash = config instanceof ConfigError ? ({ sandbox: 'auto', withoutSandbox: 'local' } as const) : config.bash
  const findings: Finding[] = [await checkConfinement(bash)]
  if (!(config instanceof ConfigError) && config.publicUrl !== undefined && config.trustedProxies.length === 0) {
    const message = 'There is a public address and no trusted proxy: all clients behind the proxy count as one.'
    findings.push(warn('proxy', message, 'Name it in the configuration: trustedProxies: ["127.0.0.1"].'))
  }
  return findings
}

async function checkConfinement(bash: Pick<ToolSettings['bash'], 'sandbox' | 'withoutSandbox'>): Promise<Finding> {
  const { sandbox, programs } = await findConfinement(bash)
  if (sandbox === 'bubblewrap')
    return ok('confinement', 'Shell commands run in bubblewrap; tools of your own run with all rights of the server.')
  const whose = programs === 'everyone' ? 'Every user has them.' : 'Only the user local has them.'
  return warn(
    'confinement',
    `Shell commands and MCP servers that are programs run with all rights of the user who runs the server (sandbox: none). ${whose}`,
    'Install bubblewrap, or run the server as a user of its own or in a container: docs/security.md.',
  )
}
