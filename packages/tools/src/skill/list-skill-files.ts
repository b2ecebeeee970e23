import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

export interface SkillFiles {
  /** The files of a skill besides its `SKILL.md`: absolute paths, sorted by name. */
  readonly files: readonly string[]
  /** There are more files than listed. */
  readonly hasMoreFiles: boolean
}

const MOST_FILES = 100
const DEEPEST = 8

/** Only regular files. No hidden files, and no links, which may lead anywhere. */
export async function listSkillFiles(directory: string): Promise<SkillFiles> {
  const found: string[] = []
  const visit = async (folder: string, depth: number): Promise<void> => {
    const entries = (await readdir(folder, { withFileTypes: true })).filter(({ name }) => !name.startsWith('.'))
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (found.length > MOST_FILES) return
      const path = join(folder, entry.name)
      if (entry.isDirectory() && depth < DEEPEST) await visit(path, depth + 1)
      else if (entry.isFile() && path !== join(directory, 'SKILL.md')) found.push(path)
    }
  }
  await visit(directory, 1)
  return { files: found.slice(0, MOST_FILES), hasMoreFiles: found.length > MOST_FILES }
}
