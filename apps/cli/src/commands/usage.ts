import type { UsageGrouping } from '@polylogue/console/client'
import { ExitCode } from '../exit-code.ts'
import type { OwnerFlags } from '../owner-flags.ts'
import { createTerminal } from '../terminal.ts'
import { formatUsage, usageNotes } from '../usage-table.ts'
import { withOwner } from '../with-owner.ts'

export interface UsageFlags extends OwnerFlags {
  readonly by: readonly UsageGrouping[]
  readonly session?: string
  readonly turn?: string
  readonly key?: string
  readonly user?: string
  readonly since?: string
  readonly until?: string
  readonly limit: number
  readonly json?: boolean
}

export function showUsage(flags: UsageFlags): Promise<number> {
  const { by, session, turn, key, user, since: from, until, limit } = flags
  return withOwner(flags, async ({ console }) => {
    const answer = await console.readUsage({
      query: { by: by.join(','), session, turn, key, user, from, until, limit },
    })
    const { stdout, stderr } = createTerminal(process)
    if (flags.json) {
      stdout.write(`${JSON.stringify(answer)}\n`)
      return ExitCode.done
    }
    if (answer.rows.length === 0) stderr.write('No model was called.\n')
    else stdout.write(formatUsage(answer, by))
    for (const note of usageNotes(answer)) stderr.write(`${note}\n`)
    return ExitCode.done
  })
}
