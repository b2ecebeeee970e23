import { findFolderConfig, trustFolder, type FolderConfig } from '@polylogue/server'
import { askLine } from './ask-line.ts'
import { CommandFailure } from './command-failure.ts'
import { ExitCode } from './exit-code.ts'
import { forgetTyped } from './forget-typed.ts'
import { createTerminal, type Terminal } from './terminal.ts'

/**
 * Runs the configuration of the current folder only if the user trusts it. It is a program, and somebody else may have
 * written it. Asks at a terminal; refuses without one.
 */
export async function approveFolder(directory: string): Promise<void> {
  const config = await findFolderConfig(directory, process.env)
  if (config === undefined || config.isTrusted) return
  const terminal = createTerminal(process)
  if (!terminal.canAsk) throw await refusal(config, 'Read it, then run: polylogue trust')
  if (!(await askTrust(terminal, config))) throw await refusal(config, 'Nothing was started.')
  await trustFolder(config, process.env)
}

async function askTrust({ stderr }: Terminal, { folder, files }: FolderConfig): Promise<boolean> {
  stderr.write(`${stderr.bold('This folder has a configuration that you have not trusted, or that has changed:')}\n`)
  for (const file of files) stderr.write(`  ${await toShown(`${folder}/${file}`)}\n`)
  stderr.write('It is a program and runs with your permissions.\n')
  if (await forgetTyped(process.stdin)) return false
  for (;;) {
    const answer = await askLine('Trust it? [y/n] ')
    if (answer === undefined || answer === 'cancel') return false
    if (/^y(es)?$/i.test(answer.line)) return true
    if (/^no?$/i.test(answer.line)) return false
  }
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
