import type { Key } from '@polylogue/console/client'
import { ExitCode } from '../exit-code.ts'
import { formatLocalTime } from '../local-time.ts'
import type { OwnerFlags } from '../owner-flags.ts'
import { formatTable } from '../table.ts'
import { createTerminal } from '../terminal.ts'
import { toTerminalLine } from '../terminal-text.ts'
import { withOwner } from '../with-owner.ts'

export interface KeysFlags extends OwnerFlags {
  readonly json?: boolean
}

export interface KeysCreateFlags extends KeysFlags {
  readonly name: string
  readonly user?: string
}

/** Only the key goes to stdout, for scripts; the sentence about it goes to stderr. */
export function createKey({ name, user, ...flags }: KeysCreateFlags): Promise<number> {
  return withOwner(flags, async ({ console }) => {
    const created = await console.createKey({ body: { name, ...(user !== undefined && { user }) } })
    const { stdout, stderr } = createTerminal(process)
    stdout.write(flags.json ? `${JSON.stringify(created)}\n` : `${created.key}\n`)
    if (!flags.json) {
      stderr.write(`Key ${created.id} of the user ${created.user}. It is shown only now; the server keeps its hash.\n`)
    }
    return ExitCode.done
  })
}

export function listKeys(flags: KeysFlags): Promise<number> {
  return withOwner(flags, async ({ console }) => {
    const { keys } = await console.listKeys()
    const { stdout } = createTerminal(process)
    if (flags.json) stdout.write(`${JSON.stringify(keys)}\n`)
    else stdout.write(formatTable(['ID', 'USER', 'KEY', 'CREATED', 'LAST USED', 'NAME'], keys.map(toRow)))
    return ExitCode.done
  })
}

export function revokeKey(id: string, flags: KeysFlags): Promise<number> {
  return withOwner(flags, async ({ console }) => {
    await console.revokeKey({ id })
    createTerminal(process).stderr.write(`Revoked ${toTerminalLine(id)} and closed its connections.\n`)
    return ExitCode.done
  })
}

function toRow({ id, user, kind, prefix, lastFour, createdAt, lastUsedAt, name }: Key): readonly string[] {
  const shown = kind === 'browser' ? 'browser sign-in' : `${prefix}…${lastFour}`
  const used = lastUsedAt === undefined ? 'never' : formatLocalTime(lastUsedAt)
  return [id, toTerminalLine(user), toTerminalLine(shown), formatLocalTime(createdAt), used, toTerminalLine(name)]
}
