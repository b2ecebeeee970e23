import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

const MOST_FILES = 16

/** Keeps only the newest long outputs of a session. */
export async function pruneOutputs(folder: string): Promise<void> {
  const names = await readdir(folder)
  if (names.length < MOST_FILES) return
  const files = await Promise.all(names.map(async (name) => ({ name, at: await changedAt(join(folder, name)) })))
  const old = files.toSorted((a, b) => b.at - a.at).slice(MOST_FILES - 1)
  await Promise.all(old.map(({ name }) => rm(join(folder, name), { force: true })))
}

/** Another call may have removed the file already. */
async function changedAt(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs
  } catch {
    return 0
  }
}
