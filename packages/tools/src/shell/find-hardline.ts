import { findHardlineDelete, findHardlineFind } from './delete-rules.ts'
import { isForcedTreeDelete } from './find-danger.ts'
import { findHardlineDevice } from './device-rules.ts'
import type { PathContext } from './paths.ts'
import { findHardlinePower } from './power-rules.ts'
import { findHardlineTree } from './tree-rules.ts'
import type { ShellReading } from './shell-reading.ts'
import type { SimpleCommand } from './simple-command.ts'

/** What no mode and no rule allows, as a short phrase. */
export function findHardline(reading: ShellReading, context: PathContext): string | undefined {
  if (reading.isForkBomb) return 'fork bomb'
  return judgeAll(reading.commands, context) ?? judgeAll(reading.suspected, context)
}

function judgeAll(commands: readonly SimpleCommand[], context: PathContext): string | undefined {
  for (const command of commands) {
    const found = judge(command, context)
    if (found !== undefined) return found
  }
  if (commands.some((command) => command.fedBy === 'xargs' && isForcedTreeDelete(command))) return 'xargs rm -rf'
  return findHardlineFind(commands, context)
}

function judge(command: SimpleCommand, context: PathContext): string | undefined {
  return (
    findHardlineDelete(command, context) ??
    findHardlineTree(command, context) ??
    findHardlineDevice(command, context) ??
    findHardlinePower(command, context)
  )
}
