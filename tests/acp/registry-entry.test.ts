import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string): unknown => JSON.parse(readFileSync(join(ROOT, path), 'utf8'))
const entry = read('deploy/acp-registry/polylogue/agent.json') as Record<string, unknown> & {
  readonly version: string
  readonly icon: string
  readonly distribution: { readonly npx: { readonly package: string; readonly args: readonly string[] } }
}

interface SchemaLibrary {
  readonly Ajv: new (options: object) => {
    compile(schema: object): ((value: unknown) => boolean) & { readonly errors?: unknown }
  }
}

/** The official schema of registry entries, as it was on 2026-02-07. */
function validate(value: unknown): unknown {
  // The schema library of the tools.
  const library: unknown = createRequire(join(ROOT, 'packages/tools/package.json'))('ajv')
  const { Ajv } = library as SchemaLibrary
  const check = new Ajv({ strict: false, validateFormats: false }).compile(
    read('tests/acp/fixtures/registry-agent.schema.json') as object,
  )
  return check(value) ? [] : check.errors
}

it('acp finding 11: the entry for the registry fits its schema', () => {
  expect(validate(entry)).toEqual([])
  expect(validate({ ...entry, version: 'newest' })).not.toEqual([])
  expect(validate({ ...entry, distribution: {} })).not.toEqual([])
})

it('acp finding 11: the entry starts this version of the package as an ACP agent', () => {
  const { name, version } = read('package.json') as { readonly name: string; readonly version: string }
  expect(entry.version).toBe(version)
  expect(entry.distribution.npx).toEqual({ package: `${name}@${version}`, args: ['acp'] })
  const readme = readFileSync(join(ROOT, 'deploy/acp-registry/README.md'), 'utf8')
  expect(readme).toContain(`npx -y ${name}@${version} acp\n`)
  const icon = readFileSync(join(ROOT, 'deploy/acp-registry/polylogue', entry.icon), 'utf8')
  expect(icon).toMatch(/width="16" height="16".*currentColor/)
})
