import { ExitCode } from '../exit-code.ts'
import { formatLocalTime } from '../local-time.ts'
import type { OwnerFlags } from '../owner-flags.ts'
import { createTerminal } from '../terminal.ts'
import { withOwner } from '../with-owner.ts'

export interface LinkFlags extends OwnerFlags {
  readonly user?: string
  readonly json?: boolean
}

/** Only the link goes to stdout, for scripts; the sentence about it goes to stderr. */
export function link({ user, json, ...flags }: LinkFlags): Promise<number> {
  return withOwner(flags, async ({ console }) => {
    const made = await console.createSignInLink({ body: { ...(user !== undefined && { user }) } })
    const { stdout, stderr } = createTerminal(process)
    stdout.write(json ? `${JSON.stringify(made)}\n` : `${made.url}\n`)
    if (!json) stderr.write(`Signs in ${made.user}, once, until ${formatLocalTime(made.expiresAt)}.\n`)
    return ExitCode.done
  })
}
