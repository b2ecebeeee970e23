import { ExitCode } from '../exit-code.ts'
import type { OwnerFlags } from '../owner-flags.ts'
import { requestJson } from '../owner-link.ts'
import { createTerminal } from '../terminal.ts'
import { formatUsage, usageNotes, type UsageGroupingName } from '../usage-table.ts'
import { usageAnswer } from '../usage-wire.ts'
import { withOwner } from '../with-owner.ts'

export interface UsageFlags extends OwnerFlags {
  readonly by: readonly UsageGroupingName[]
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
  return withOwner(flags, async (link) => {
    const asked = { by: by.join(','), session, turn, key, user, from, until, limit }
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(asked)) if (value !== undefined) query.set(name, String(value))
    const path = `/api/polylogue/usage?${query.toString()}`
    const answer = await requestJson(link, usageAnswer, { method: 'GET', path })
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
