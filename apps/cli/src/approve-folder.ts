import { findFolderConfig, trustFolder, type FolderConfig } from '@polylogue/server'
import { askYesNo } from './ask-yes-no.ts'
import { CommandFailure } from './command-failure.ts'
import { ExitCode } from './exit-code.ts'
import { createTerminal, type Terminal } from './terminal.ts'

/**
 * Runs the configuration of the current folder only if the user trusts it. It is a program, and somebody else may have
 * written it. Asks at a terminal; refuses without one.
 */
export async function approveFolder(directory: string): Promise<void> {
  const terminal = createTerminal(process)
  for (;;) {
    const config = await findFolderConfig(directory, process.env)
    if (config === undefined || config.isTrusted) return
    if (!terminal.canAsk) throw await refusal(config, 'Read it, then run: polylogue trust')
    if (!(await askTrust(terminal, config))) throw await refusal(config, 'Nothing was started.')
    // Only what was there before the question. If it has changed meanwhile, the next look asks again.
    await trustFolder(config, process.env)
  }
}

async function askTrust({ stderr }: Terminal, { folder, files }: FolderConfig): Promise<boolean> {
  stderr.write(`${stderr.bold('This folder has a configuration that you have not trusted, or that has changed:')}\n`)
  for (const file of files) stderr.write(`  ${await toShown(`${folder}/${file}`)}\n`)
  stderr.write('It is a program and runs with your permissions.\n')
  return askYesNo('Trust it?')
}

async function refusal({ folder, files }: FolderConfig, advice: string): Promise<CommandFailure> {
  const name = files.find((file) => file.startsWith('polylogue.config.')) ?? files[0] ?? ''
  const file = await toShown(`${folder}/${name}`)
  return new CommandFailure(`${file} is a configuration that you have not trusted. ${advice}`, ExitCode.config)
}

/** Loaded here because every start looks at the folder, and most ask nothing. */
async function toShown(path: string): Promise<string> {
  const { spellOutLine } = await import('@polylogue/console/client')
  return spellOutLine(path)
}
