import {
  CATALOGUE_SOURCE,
  SOURCE_FILES,
  describeCatalogue,
  describeChanges,
  knownModelsOf,
  refreshedCatalogue,
  toCatalogue,
  type KnownModels,
  type RefreshedCatalogue,
} from '@polylogue/models'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { extract } from 'tar'
import { prepareDataDir } from '../data-dir.ts'
import { writePrivateFile } from '../platform/private-file.ts'
import { EXIT_FAILURE, ServeError } from '../serve-error.ts'
import { keptModelsPath, useKeptModels } from './kept-models.ts'

const FETCH_WITHIN_MS = 120_000

export interface RefreshedModels {
  readonly source: string
  readonly date: string
  /** The file that was written. */
  readonly path: string
  /** What changed, by provider. Providers without a change are left out. */
  readonly changes: readonly { readonly provider: string; readonly lines: readonly string[] }[]
}

/**
 * Fetches the newest list of models with npm and keeps it in the data directory, where the next start finds it. Rejects with a
 * `ServeError`; then the list that was there stays.
 */
export async function refreshModels({ dataDir }: { readonly dataDir: string }): Promise<RefreshedModels> {
  prepareDataDir(dataDir)
  const path = keptModelsPath(dataDir)
  useKeptModels(dataDir)
  const catalogue = await fetchCatalogue()
  const names = Object.keys(catalogue.providers)
  const before = new Map(names.map((name) => [name, knownModelsOf(name)]))
  if (catalogue.date < describeCatalogue().date) {
    throw new ServeError(`The newest list is of ${catalogue.date}, older than the one in use.`, EXIT_FAILURE)
  }
  writePrivateFile(path, `${JSON.stringify(catalogue)}\n`)
  const changes = names.map((provider) => {
    const was = before.get(provider) ?? {}
    return { provider, lines: describeChanges(was, { ...was, ...catalogue.providers[provider] }) }
  })
  return {
    source: catalogue.source,
    date: catalogue.date,
    path,
    changes: changes.filter(({ lines }) => lines.length > 0),
  }
}

async function fetchCatalogue(): Promise<RefreshedCatalogue> {
  const work = await mkdtemp(join(tmpdir(), 'polylogue-models-'))
  try {
    // By its version: by its name alone, npm takes an older release that fits the running Node.
    const version = await npm(['view', CATALOGUE_SOURCE, 'version'], work)
    const packed = await npm(['pack', `${CATALOGUE_SOURCE}@${version}`, '--silent'], work)
    await extract({ file: join(work, packed.split('\n').at(-1) ?? ''), cwd: work })
    return await readSource(join(work, 'package', 'dist', 'providers', 'data'), version)
  } catch (error) {
    if (error instanceof ServeError) throw error
    throw new ServeError(
      `The list in ${CATALOGUE_SOURCE} has a format that this version does not know.`,
      EXIT_FAILURE,
      {
        cause: error,
      },
    )
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

async function readSource(folder: string, version: string): Promise<RefreshedCatalogue> {
  const readJson = async (name: string): Promise<unknown> => JSON.parse(await readFile(join(folder, name), 'utf8'))
  const manifest = await readJson('.manifest.json')
  const made =
    typeof manifest === 'object' && manifest !== null && 'generatedAt' in manifest ? manifest.generatedAt : ''
  const providers: Record<string, KnownModels> = {}
  for (const [provider, file] of Object.entries(SOURCE_FILES)) {
    providers[provider] = toCatalogue(provider, await readJson(`${file}.json`))
  }
  return refreshedCatalogue.parse({
    source: `${CATALOGUE_SOURCE} ${version}`,
    date: String(made).slice(0, 10),
    providers,
  })
}

/** npm knows the registry and the proxy of its user. Windows starts it through a shell; the arguments are ours. */
async function npm(args: readonly string[], cwd: string): Promise<string> {
  try {
    const options = { cwd, timeout: FETCH_WITHIN_MS, shell: process.platform === 'win32' }
    return (await promisify(execFile)('npm', args, options)).stdout.trim()
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    const reason = isMissing ? 'npm was not found on PATH' : `npm ${args[0]} failed; check the network`
    throw new ServeError(`The list of models was not fetched: ${reason}.`, EXIT_FAILURE, { cause: error })
  }
}
