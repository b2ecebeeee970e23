import { findFolderConfig, trustFolder, trustInstructions } from '@polylogue/server'
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { CommandFailure } from '../command-failure.ts'
import { ExitCode } from '../exit-code.ts'
import { createTerminal } from '../terminal.ts'
import { toTerminalLine } from '../terminal-text.ts'

/** Trusts the configuration and the instruction files of a folder as they are now. */
export async function trust(directory = '.'): Promise<number> {
  const folder = resolve(directory)
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new CommandFailure(`${toTerminalLine(folder)} is not a folder.`, ExitCode.usage)
  }
  const config = await findFolderConfig(folder, process.env)
  if (config !== undefined) await trustFolder(config, process.env)
  const instructions = await trustInstructions(folder, process.env)
  const trusted = [...(config?.files.map((file) => resolve(config.folder, file)) ?? []), ...instructions]
  if (trusted.length === 0) {
    const shown = toTerminalLine(folder)
    throw new CommandFailure(`${shown} has no configuration, agents, skills, AGENTS.md or CLAUDE.md.`, ExitCode.failed)
  }
  const { stderr } = createTerminal(process)
  for (const file of trusted) stderr.write(`Trusted ${toTerminalLine(file)}\n`)
  return ExitCode.done
}
