/**
 * What the person who runs the server has trusted: `trusted.json` in the user's configuration directory,
 * `{"<real path>": "<SHA-256 of the content>"}`. The path is a folder with a configuration, or an instruction file.
 */
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { writePrivateFile } from '../platform/private-file.ts'

export type TrustEnvironment = Readonly<Record<string, string | undefined>>

/** The hash that was trusted. `undefined`: nothing at this path was ever trusted. */
export function trustedHashOf(path: string, env: TrustEnvironment): string | undefined {
  return readTrusted(env)[path]
}

export function recordTrust(hashes: Readonly<Record<string, string>>, env: TrustEnvironment): void {
  const file = trustFile(env)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writePrivateFile(file, `${JSON.stringify({ ...readTrusted(env), ...hashes }, undefined, 2)}\n`)
}

/** `$XDG_CONFIG_HOME/polylogue/trusted.json`, or below `~/.config`. */
function trustFile(env: TrustEnvironment): string {
  const given = env['XDG_CONFIG_HOME']
  const base = given !== undefined && given.startsWith('/') ? given : join(env['HOME'] ?? homedir(), '.config')
  return join(base, 'polylogue', 'trusted.json')
}

function readTrusted(env: TrustEnvironment): Readonly<Record<string, string>> {
  const file = trustFile(env)
  if (!existsSync(file)) return {}
  try {
    return z
      .record(z.string(), z.string())
      .catch({})
      .parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    // A damaged file trusts nothing.
    if (error instanceof SyntaxError) return {}
    throw error
  }
}
