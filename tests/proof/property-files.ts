import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** A file that makes properties itself, or lets a contract make them. */
const HAS_PROPERTIES = /from 'fast-check'|\beventStoreContract\(/
/** Those whose size and seed a proof of their own decides. */
const HAS_OWN_PROOF = /^tests\/(?:bash|workspace|permissions)\//

/** The tests of `npm test` that check properties, from the root of the checkout. */
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
