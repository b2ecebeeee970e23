import { findFolderConfig, trustFolder } from '@polylogue/server'
import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { CommandFailure } from '../command-failure.ts'
import { ExitCode } from '../exit-code.ts'
import { writeProject } from '../init/write-project.ts'
import { createTerminal } from '../terminal.ts'
import { toTerminalLine } from '../terminal-text.ts'

/** Makes an agent project of a folder. Files that are there stay as they are. */
export async function init(directory = '.'): Promise<number> {
  const folder = resolve(directory)
  const config = (await listNames(folder)).find((name) => name.startsWith('polylogue.config.'))
  if (config !== undefined) {
    const path = toTerminalLine(join(folder, config))
    throw new CommandFailure(`${path} is there already. Choose another folder: polylogue init DIR`, ExitCode.failed)
  }
  const isOurs = !(await listNames(join(folder, 'agents'))).length && !(await listNames(join(folder, 'skills'))).length
  const { written, kept } = await writeProject(folder)
  const { stdout } = createTerminal(process)
  for (const path of written) stdout.write(`  wrote ${path}\n`)
  for (const path of kept) stdout.write(`  kept  ${path}\n`)
  // Every file that the configuration consists of is ours, so there is nothing to ask about.
  if (isOurs && !kept.some((path) => path.startsWith('tools/'))) {
    const found = await findFolderConfig(folder, process.env)
    if (found !== undefined) await trustFolder(found, process.env)
  }
  const first = folder === process.cwd() ? [] : [`cd ${directory}`]
  // npm sets this for programs that `npx` starts: they are not in the PATH of the user.
  const program = process.env['npm_command'] === 'exec' ? 'npx polylogue' : 'polylogue'
  const steps = [...first, 'node --test', `${program} serve`, `${program} run --agent croupier "Roll two dice"`]
  stdout.write(`\nNext:\n\n${steps.map((step) => `  ${step}\n`).join('')}`)
  return ExitCode.done
}

async function listNames(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => [])
}
