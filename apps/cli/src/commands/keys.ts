import { ExitCode } from '../exit-code.ts'
import { formatLocalTime } from '../local-time.ts'
import type { OwnerFlags } from '../owner-flags.ts'
import { requestJson, requestText } from '../owner-link.ts'
import { formatTable } from '../table.ts'
import { createTerminal } from '../terminal.ts'
import { toTerminalLine } from '../terminal-text.ts'
import { createdKey, keyList, type Key } from '../wire.ts'
import { withOwner } from '../with-owner.ts'

export interface KeysFlags extends OwnerFlags {
  readonly json?: boolean
}

export interface KeysCreateFlags extends KeysFlags {
  readonly name: string
  readonly user?: string
}

const KEYS_PATH = '/api/polylogue/keys'

/** The key alone on stdout, so that a script can take it; the words about it on stderr. */
export function createKey({ name, user, ...flags }: KeysCreateFlags): Promise<number> {
  return withOwner(flags, async (link) => {
    const body = { name, ...(user === undefined ? {} : { user }) }
    const created = await requestJson(link, createdKey, { method: 'POST', path: KEYS_PATH, body })
    const { stdout, stderr } = createTerminal(process)
    stdout.write(flags.json ? `${JSON.stringify(created)}\n` : `${created.key}\n`)
    if (!flags.json) {
      stderr.write(`Key ${created.id} for the user ${created.user}. It is shown this once; only its hash is kept.\n`)
    }
    return ExitCode.done
  })
}

export function listKeys(flags: KeysFlags): Promise<number> {
  return withOwner(flags, async (link) => {
    const { keys } = await requestJson(link, keyList, { method: 'GET', path: KEYS_PATH })
    const { stdout } = createTerminal(process)
    if (flags.json) stdout.write(`${JSON.stringify(keys)}\n`)
    else stdout.write(formatTable(['ID', 'USER', 'KEY', 'CREATED', 'LAST USED', 'NAME'], keys.map(toRow)))
    return ExitCode.done
  })
}

export function revokeKey(id: string, flags: KeysFlags): Promise<number> {
  return withOwner(flags, async (link) => {
    await requestText(link, { method: 'DELETE', path: `${KEYS_PATH}/${encodeURIComponent(id)}` })
    createTerminal(process).stderr.write(`Revoked ${toTerminalLine(id)}; whatever it had open is closed.\n`)
    return ExitCode.done
  })
}

function toRow({ id, user, kind, prefix, lastFour, createdAt, lastUsedAt, name }: Key): readonly string[] {
  const shown = kind === 'browser' ? 'browser sign-in' : `${prefix}…${lastFour}`
  const used = lastUsedAt === undefined ? 'never' : formatLocalTime(lastUsedAt)
  return [id, toTerminalLine(user), toTerminalLine(shown), formatLocalTime(createdAt), used, toTerminalLine(name)]
}
