import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInvocation } from '@polylogue/testkit'
import { createBashTool } from '@polylogue/tools'
import { createTempDir } from '../support/temp-dir.ts'

/** Instead of running what it is given, writes down the arguments that the kernel says it has. */
const RECORDER = '#!/bin/sh\ncat "/proc/$$/cmdline" > "$RECORD"\n'

/** What careless code would trim, split or take for an option of the shell. */
export const AWKWARD_COMMANDS: readonly string[] = [
  ...['ls', ' ls ', '\nls\n', '-x', '+x', '--', '-c', '--help', 'a \'b\' "c"', '$X `y` \\', 'é🦜\u202e', '\t#'],
  ...['\u0001\u007f\r', '*', '~', 'x'.repeat(100_000)],
]

/** The commands of which the started shell did not get exactly the bytes that were granted. */
export async function findChanged(
  commands: readonly string[],
  sandbox: 'none' | 'required' = 'none',
): Promise<readonly string[]> {
  const folder = await createTempDir()
  const shell = join(folder.path, 'recorder')
  const changed: string[] = []
  try {
    await writeFile(shell, RECORDER)
    await chmod(shell, 0o755)
    const record = join(folder.path, 'record')
    const tool = createBashTool({
      stateDir: join(folder.path, 'state'),
      outputDir: join(folder.path, 'outputs'),
      sandbox,
      shell,
      environment: { RECORD: record },
    })
    for (const command of commands) {
      await writeFile(record, '')
      const workspace = { cwd: folder.path, roots: [folder.path] }
      await tool.run(createInvocation(tool, { command }, { workspace }))
      // /bin/sh, the recorder, -c, perhaps --, the command.
      const argv = (await readFile(record)).toString('latin1').split('\0').slice(0, -1)
      const bytes = Buffer.from(command).toString('latin1')
      const expected = ['-c', ...(/^[-+]/.test(command) ? ['--'] : []), bytes]
      if (JSON.stringify(argv.slice(2)) !== JSON.stringify(expected)) changed.push(command.slice(0, 200))
    }
    return changed
  } finally {
    await folder.remove()
  }
}
