import type { User } from '@polylogue/console/client'
import { ExitCode } from '../exit-code.ts'
import { formatLocalTime } from '../local-time.ts'
import type { OwnerFlags } from '../owner-flags.ts'
import { formatTable } from '../table.ts'
import { createTerminal } from '../terminal.ts'
import { toTerminalLine } from '../terminal-text.ts'
import { withOwner } from '../with-owner.ts'

export interface UsersFlags extends OwnerFlags {
  readonly json?: boolean
}

export interface UsersAddFlags extends UsersFlags {
  readonly role: 'user' | 'admin'
}

export interface UsersRemoveFlags extends OwnerFlags {
  readonly deleteSessions?: boolean
}

export function listUsers({ json, ...flags }: UsersFlags): Promise<number> {
  return withOwner(flags, async ({ console }) => {
    const { users } = await console.listUsers()
    const { stdout } = createTerminal(process)
    if (json) stdout.write(`${JSON.stringify(users)}\n`)
    else stdout.write(formatTable(['USER', 'ROLE', 'KEYS', 'BROWSERS', 'LAST USED'], users.map(toRow)))
    return ExitCode.done
  })
}

/** Only the link goes to stdout, for scripts; the sentences about it go to stderr. */
export function addUser(name: string, { role, json, ...flags }: UsersAddFlags): Promise<number> {
  return withOwner(flags, async ({ console }) => {
    const added = await console.addUser({ body: { name, role } })
    const { stdout, stderr } = createTerminal(process)
    if (json) {
      stdout.write(`${JSON.stringify(added)}\n`)
      return ExitCode.done
    }
    stderr.write(`Added the ${added.role} ${added.name}.\n`)
    if (added.link === undefined) {
      stderr.write(`No server is running. Later, \`polylogue link --user ${added.name}\` prints a sign-in link.\n`)
    } else {
      stdout.write(`${added.link.url}\n`)
      stderr.write(`Signs in ${added.name}, once, until ${formatLocalTime(added.link.expiresAt)}.\n`)
    }
    return ExitCode.done
  })
}

export function changeRole(name: string, role: 'user' | 'admin', flags: UsersFlags): Promise<number> {
  return withOwner(flags, async ({ console }) => {
    const changed = await console.changeUser({ name, body: { role } })
    createTerminal(process).stderr.write(`${changed.name} is now ${role === 'admin' ? 'an admin' : 'a user'}.\n`)
    return ExitCode.done
  })
}

export function removeUser(name: string, { deleteSessions, ...flags }: UsersRemoveFlags): Promise<number> {
  return withOwner(flags, async ({ console }) => {
    const query = { sessions: deleteSessions === true ? 'delete' : 'keep' } as const
    const { sessions } = await console.removeUser({ name, query })
    const deleted = sessions === 0 ? '' : ` and deleted ${sessions} ${sessions === 1 ? 'session' : 'sessions'}`
    createTerminal(process).stderr.write(`Removed ${toTerminalLine(name)}${deleted}.\n`)
    return ExitCode.done
  })
}

function toRow({ name, role, keys, browsers, lastUsedAt }: User): readonly string[] {
  const used = lastUsedAt === undefined ? 'never' : formatLocalTime(lastUsedAt)
  return [toTerminalLine(name), role, `${keys}`, `${browsers}`, used]
}
