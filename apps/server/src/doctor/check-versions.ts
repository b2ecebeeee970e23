import { readVersion } from '../version.ts'
import type { Patient } from './examine.ts'
import { fail, ok, warn, type Finding } from './finding.ts'

const OLDEST_NODE = 24

export async function checkVersions({ live, storage }: Patient): Promise<readonly Finding[]> {
  const { node } = process.versions
  const version = readVersion()
  const { software, unsafe } = await storage.describe()
  const message = `polylogue ${version}, Node ${node}, ${software}`
  const findings: Finding[] = []
  if (unsafe !== undefined || Number.parseInt(node, 10) < OLDEST_NODE) {
    const remedy = unsafe ?? `Use Node ${OLDEST_NODE} or later. npm start downloads a version that fits.`
    findings.push(fail('versions', message, remedy))
  } else {
    findings.push(ok('versions', message))
  }
  if (live !== undefined && (live.version !== version || live.node !== node)) {
    const other = `The running server is polylogue ${live.version} on Node ${live.node}.`
    findings.push(warn('versions', other, 'Restart it to run this version.'))
  }
  return findings
}
