import { readVersion } from '../version.ts'
import type { Patient } from './examine.ts'
import { fail, ok, warn, type Finding } from './finding.ts'

const OLDEST_SQLITE = [3, 51, 3]
const OLDEST_NODE = 24

export async function checkVersions({ live }: Patient): Promise<readonly Finding[]> {
  const { node, sqlite = 'none' } = process.versions
  const version = readVersion()
  const message = `polylogue ${version}, Node ${node}, SQLite ${sqlite}`
  const findings: Finding[] = []
  if (Number.parseInt(node, 10) < OLDEST_NODE || isOlder(sqlite, OLDEST_SQLITE)) {
    const remedy = `Use Node ${OLDEST_NODE} with SQLite ${OLDEST_SQLITE.join('.')} or later; npm start fetches it.`
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

function isOlder(version: string, oldest: readonly number[]): boolean {
  const parts = version.split('.').map(Number)
  const index = oldest.findIndex((part, place) => (parts[place] ?? 0) !== part)
  return index !== -1 && !((parts[index] ?? 0) > (oldest[index] ?? 0))
}
