import type { RandomBytes } from '@polylogue/engine'
import { join, resolve } from 'node:path'
import { EXIT_CONFIG, ServeError } from '../serve-error.ts'
import { encodeBase64Url } from './encode-base64url.ts'
import { createPrivateFile, readPrivateFile } from './private-file.ts'

const KEY_LINE = /^[A-Za-z0-9_-]{43}$/

/** Nodes that share a database need the same keys: `POLYLOGUE_SECRET_KEY_FILE` names a file that they share. */
export function secretKeyFile(dataDir: string, env: NodeJS.ProcessEnv): string {
  const named = env['POLYLOGUE_SECRET_KEY_FILE']
  return named === undefined || named === '' ? join(dataDir, 'secret.key') : resolve(named)
}

/**
 * `<data>/secret.key`: one 256-bit key a line, base64url. The first line seals; the lines below it only open what
 * they sealed before. To rotate, put a new line on top. Made at the first start.
 */
export function loadSecretKeys(path: string, random: RandomBytes): SecretKeys {
  const stored = readSecretKeys(path)
  if (stored !== undefined) return stored
  // Nodes that start together may all get here. They use the key of whoever was first.
  return parseSecretKeys(path, createPrivateFile(path, `${encodeBase64Url(random(32))}\n`))
}

export type SecretKeys = readonly [Uint8Array, ...Uint8Array[]]

/** `undefined` when there is no such file. Throws a `ServeError` when it may not be used. */
export function readSecretKeys(path: string): SecretKeys | undefined {
  const stored = readPrivateFile(path)
  return stored === undefined ? undefined : parseSecretKeys(path, stored)
}

function parseSecretKeys(path: string, stored: string): SecretKeys {
  const lines = stored.split('\n').filter((line) => line !== '')
  const [first, ...older] = lines.map((line) => Uint8Array.from(Buffer.from(line, 'base64url')))
  if (first === undefined || !lines.every((line) => KEY_LINE.test(line))) {
    throw new ServeError(`${path} is damaged: it must hold one 43-character key a line. Restore it.`, EXIT_CONFIG)
  }
  return [first, ...older]
}
