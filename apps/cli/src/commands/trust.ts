import { findFolderConfig, trustFolder } from '@polylogue/server'
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { CommandFailure } from '../command-failure.ts'
import { ExitCode } from '../exit-code.ts'
import { createTerminal } from '../terminal.ts'
import { toTerminalLine } from '../terminal-text.ts'

/** Trusts the configuration of a folder as it is now. */
export async function trust(directory = '.'): Promise<number> {
  const folder = resolve(directory)
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new CommandFailure(`${toTerminalLine(folder)} is not a folder.`, ExitCode.usage)
  }
  const config = await findFolderConfig(folder, process.env)
  if (config === undefined) {
    throw new CommandFailure(`${toTerminalLine(folder)} has no configuration and no agents.`, ExitCode.failed)
  }
  await trustFolder(config, process.env)
  const { stderr } = createTerminal(process)
  for (const file of config.files) stderr.write(`Trusted ${toTerminalLine(`${config.folder}/${file}`)}\n`)
  return ExitCode.done
}
