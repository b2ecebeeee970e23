import { open } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { InstructionFile } from '../trust/instruction-files.ts'

const LARGEST_FILE = 128 * 1024

/**
 * The instructions that the user who runs the server keeps for all projects. The user's own configuration directory
 * needs no trust.
 */
export async function readUserInstructions(
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly InstructionFile[]> {
  const home = env['HOME'] ?? homedir()
  const given = env['XDG_CONFIG_HOME']
  const config = given !== undefined && given.startsWith('/') ? given : join(home, '.config')
  const paths = [
    join(config, 'polylogue', 'AGENTS.md'),
    join(config, 'polylogue', 'CLAUDE.md'),
    join(home, '.claude', 'CLAUDE.md'),
  ]
  const found: InstructionFile[] = []
  for (const path of paths) {
    const text = await readSmallFile(path)
    if (text !== undefined) found.push({ path, text })
  }
  return found
}

async function readSmallFile(path: string): Promise<string | undefined> {
  try {
    await using file = await open(path, 'r')
    const stats = await file.stat()
    if (!stats.isFile() || stats.size > LARGEST_FILE) return undefined
    return await file.readFile('utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}
