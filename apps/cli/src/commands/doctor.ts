import { examine, type Finding } from '@polylogue/server'
import { approveFolder } from '../approve-folder.ts'
import { ExitCode } from '../exit-code.ts'
import { toOwnerOptions, type OwnerFlags } from '../owner-flags.ts'
import { createTerminal, type Output } from '../terminal.ts'
import { toTerminalLine } from '../terminal-text.ts'

export interface DoctorFlags extends OwnerFlags {
  readonly json?: boolean
}

/** Looks at the installation and says how it is. Fails when something is broken; warnings are not failures. */
export async function doctor(flags: DoctorFlags): Promise<number> {
  const { dataDir, startDir, database, configFile } = toOwnerOptions(flags)
  if (configFile === undefined) await approveFolder(startDir)
  const findings = await examine({
    dataDir,
    startDir,
    env: process.env,
    ...(database === undefined ? {} : { database }),
    ...(configFile === undefined ? {} : { configFile }),
  })
  const { stdout } = createTerminal(process)
  stdout.write(flags.json ? `${JSON.stringify(findings)}\n` : formatFindings(findings, stdout))
  return findings.some(({ status }) => status === 'fail') ? ExitCode.failed : ExitCode.done
}

export function formatFindings(findings: readonly Finding[], { bold, dim }: Pick<Output, 'bold' | 'dim'>): string {
  const width = Math.max(...findings.map(({ check }) => check.length))
  const indent = ' '.repeat(6 + width + 2)
  return findings
    .map(({ check, status, message, remedy }) => {
      const mark = status === 'ok' ? dim('ok    ') : bold(status.padEnd(6))
      const line = `${mark}${check.padEnd(width)}  ${toTerminalLine(message)}\n`
      return remedy === undefined ? line : `${line}${indent}${dim(`→ ${toTerminalLine(remedy)}`)}\n`
    })
    .join('')
}
