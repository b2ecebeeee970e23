import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Matches files that define properties or call a contract that does. */
const HAS_PROPERTIES = /from 'fast-check'|\beventStoreContract\(/
/** Files with their own proof, which chooses size and seed. */
const HAS_OWN_PROOF = /^tests\/(?:bash|workspace|permissions)\//

/** The tests of `npm test` that check properties, relative to the root. */
export function findPropertyFiles(): readonly string[] {
  return ['apps', 'packages', 'tests']
    .flatMap(listTests)
    .filter((path) => !HAS_OWN_PROOF.test(path) && HAS_PROPERTIES.test(readFileSync(join(ROOT, path), 'utf8')))
    .toSorted()
}

function listTests(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules') return []
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return listTests(path)
    return /(?<!\.proof)\.test\.tsx?$/.test(entry.name) ? [path] : []
  })
}
