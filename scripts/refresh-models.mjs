// `npm run refresh-models`: writes packages/models/src/known/generated/*.json anew from the newest release of a maintained
// list of models, and prints what changed. The list is the one that ships inside @earendil-works/pi-ai (MIT); it is fetched
// from the npm registry for this command only and is not a dependency.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT, endWithSentence } from './lib/bootstrap.mjs'
import { describeChanges, toCatalogue } from './lib/model-catalogue.mjs'

const SOURCE = '@earendil-works/pi-ai'
const FOLDER = join(ROOT, 'packages/models/src/known/generated')

/** Our name of each provider, and the file of the source that lists its models. */
const PROVIDERS = {
  anthropic: 'anthropic',
  openai: 'openai',
  google: 'google',
  mistral: 'mistral',
  xai: 'xai',
  deepseek: 'deepseek',
  groq: 'groq',
  together: 'together',
  fireworks: 'fireworks',
  openrouter: 'openrouter',
  azure: 'azure',
  bedrock: 'amazon-bedrock',
  vertex: 'google-vertex',
}

await endWithSentence(async () => {
  const work = mkdtempSync(join(tmpdir(), 'polylogue-models-'))
  try {
    const { version } = fetchSource(work)
    const data = join(work, 'package/dist/providers/data')
    const date = String(readJson(join(data, '.manifest.json'))['generatedAt']).slice(0, 10)
    for (const [provider, file] of Object.entries(PROVIDERS)) {
      const path = join(FOLDER, `${provider}.json`)
      const before = readJson(path)
      const after = {
        source: `${SOURCE} ${version}`,
        date,
        models: toCatalogue(provider, readJson(join(data, `${file}.json`))),
      }
      writeFileSync(path, `${JSON.stringify(after, null, 1)}\n`)
      process.stdout.write(`${provider}: ${Object.keys(after.models).length} models\n`)
      for (const line of describeChanges(before['models'] ?? {}, after.models)) process.stdout.write(`  ${line}\n`)
    }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
})

/**
 * @param {string} work
 * @returns {{ version: string }}
 */
function fetchSource(work) {
  // By its version: by its name alone, npm takes an older release that fits the running Node.
  const version = run('npm', ['view', SOURCE, 'version'], work)
  const file =
    run('npm', ['pack', `${SOURCE}@${version}`, '--silent'], work)
      .split('\n')
      .at(-1) ?? ''
  run('tar', ['xzf', file], work)
  return { version }
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {string} cwd
 * @returns {string} what it printed
 */
function run(command, args, cwd) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${stderr.trim()}`)
  return stdout.trim()
}

/**
 * @param {string} path
 * @returns {Record<string, any>} empty if there is no such file
 */
function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {}
    throw error
  }
}
