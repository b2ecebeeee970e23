import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { listProjectFiles, TYPES_FILE, type ProjectChoices } from './project-files.ts'

const PUBLIC_MODULE = fileURLToPath(new URL('../../../server/src/public.ts', import.meta.url))

export interface WrittenProject {
  readonly written: readonly string[]
  /** They were there before and are as they were. */
  readonly kept: readonly string[]
}

/** Writes the files of an agent project that are not there yet. */
export async function writeProject(folder: string): Promise<WrittenProject> {
  await mkdir(folder, { recursive: true })
  const written: string[] = []
  const kept: string[] = []
  for (const [path, text] of listProjectFiles(await chooseFor(folder))) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    // The path of this installation may have changed since the last time.
    const isWritten = path === TYPES_FILE ? await write(folder, path, text) : await writeNew(folder, path, text)
    ;(isWritten ? written : kept).push(path)
  }
  // Every verb takes the data directory of its folder if there is one, and that of the user otherwise.
  await mkdir(join(folder, '.polylogue'), { recursive: true, mode: 0o700 })
  return { written, kept }
}

async function chooseFor(folder: string): Promise<ProjectChoices> {
  const type = await readPackageType(folder)
  return {
    extension: type === 'commonjs' ? 'mts' : 'ts',
    name: toPackageName(basename(folder)),
    hasPackage: type !== undefined,
    ...(!isInstalled(folder) && { typesFrom: { polylogue: PUBLIC_MODULE, roots: findTypeRoots() } }),
  }
}

function findTypeRoots(): string {
  return dirname(dirname(createRequire(import.meta.url).resolve('@types/node/package.json')))
}

const manifest = z.object({ type: z.string().default('commonjs') })

/** `undefined`: there is no package.json. */
async function readPackageType(folder: string): Promise<string | undefined> {
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const parsed = manifest.safeParse(parse(text))
  return parsed.success ? parsed.data.type : 'commonjs'
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isInstalled(folder: string): boolean {
  try {
    createRequire(join(folder, 'package.json')).resolve('polylogue')
    return true
  } catch {
    return false
  }
}

function toPackageName(name: string): string {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|(?<!-)-+$/g, '')
  return plain === '' ? 'my-agents' : plain
}

async function write(folder: string, path: string, text: string): Promise<true> {
  await writeFile(join(folder, path), text)
  return true
}

async function writeNew(folder: string, path: string, text: string): Promise<boolean> {
  try {
    await writeFile(join(folder, path), text, { flag: 'wx' })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}
