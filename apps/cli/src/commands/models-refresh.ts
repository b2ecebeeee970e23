import { defaultDataDir, refreshModels } from '@polylogue/server'
import { resolve } from 'node:path'
import { ExitCode } from '../exit-code.ts'
import { createTerminal } from '../terminal.ts'
import { toTerminalLine } from '../terminal-text.ts'

export async function refreshModelList({ data }: { readonly data?: string }): Promise<number> {
  const dataDir = data === undefined ? defaultDataDir(process.env, process.cwd()) : resolve(data)
  const { source, date, path, changes } = await refreshModels({ dataDir })
  const { stdout, stderr } = createTerminal(process)
  for (const { provider, lines } of changes) {
    stdout.write(`${toTerminalLine(provider)}:\n`)
    for (const line of lines) stdout.write(`  ${toTerminalLine(line)}\n`)
  }
  if (changes.length === 0) stdout.write('Nothing changed.\n')
  stderr.write(
    toTerminalLine(`Wrote ${path}: the list of ${date} from ${source}. It is used from the next start on.`) + '\n',
  )
  return ExitCode.done
}
