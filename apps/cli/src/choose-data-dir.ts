import { ForeignDataDir, dataDirHere, notePlace } from '@polylogue/server'
import { createTerminal } from './terminal.ts'

/** The data directory of a server in this folder. One that was not made here is asked about at a terminal, else refused. */
export async function chooseDataDir(folder: string): Promise<string> {
  try {
    return dataDirHere(process.env, folder)
  } catch (error) {
    const { canAsk, stderr } = createTerminal(process)
    if (!(error instanceof ForeignDataDir) || !canAsk) throw error
    const { askYesNo } = await import('./ask-yes-no.ts')
    stderr.write(`${error.message}\n`)
    if (!(await askYesNo('Is it yours?'))) throw error
    notePlace(error.path)
    return error.path
  }
}
