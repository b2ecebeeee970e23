import { ConfigError } from '../config/config-error.ts'
import type { Patient } from './examine.ts'
import { warn, type Finding } from './finding.ts'

/** What nothing keeps away: said at every examination, because it is easily forgotten. */
export async function checkExposure({ config }: Patient): Promise<readonly Finding[]> {
  const findings: Finding[] = [
    warn(
      'confinement',
      'Tools run with all rights of the user who runs the server (sandbox: none).',
      'Run it as a user of its own or in a container: docs/security.md.',
    ),
  ]
  if (!(config instanceof ConfigError) && config.publicUrl !== undefined && config.trustedProxies.length === 0) {
    const message = 'There is a public address and no trusted proxy: all clients behind the proxy count as one.'
    findings.push(warn('proxy', message, 'Name it in the configuration: trustedProxies: ["127.0.0.1"].'))
  }
  return findings
}
