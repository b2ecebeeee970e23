import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { hasFileModes } from '../platform/host.ts'
import { shellQuote } from '../platform/private-file.ts'
import type { Patient } from './examine.ts'
import { fail, ok, warn, type Finding } from './finding.ts'

/** The server refuses to start when other users can read one of these. */
const KEY_FILES = new Set(['local.key', 'secret.key'])

export async function checkDataDir({ dataDir }: Patient): Promise<readonly Finding[]> {
  const directory = statSync(dataDir, { throwIfNoEntry: false })
  if (directory === undefined) {
    return [warn('data directory', `${dataDir} does not exist.`, 'The first start creates it: polylogue serve')]
  }
  if (!directory.isDirectory()) {
    return [fail('data directory', `${dataDir} is not a directory.`, 'Choose another with --data.')]
  }
  const findings: Finding[] = []
  if (hasFileModes()) {
    const open = (path: string): boolean => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0
    if (open(dataDir)) {
      findings.push(
        warn('data directory', `${dataDir} is open to other users.`, `Type: chmod 700 ${shellQuote(dataDir)}`),
      )
    }
    for (const name of readdirSync(dataDir).sort()) {
      const path = join(dataDir, name)
      if (!open(path)) continue
      const tell = KEY_FILES.has(name) ? fail : warn
      findings.push(tell('data directory', `${path} is open to other users.`, `Type: chmod 600 ${shellQuote(path)}`))
    }
  }
  return findings.length > 0 ? findings : [ok('data directory', `${dataDir} is closed to other users.`)]
}
