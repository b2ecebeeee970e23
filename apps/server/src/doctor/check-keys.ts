import { StorageFault, type StorageInspection, type StoredKey, type StoredSecret } from '@polylogue/engine'
import { join } from 'node:path'
import { formatKeysCreate } from '../auth/keys-create-line.ts'
import { readPrivateFile } from '../platform/private-file.ts'
import { sealingKeyIdOf, secretKeyId } from '../platform/secret-box.ts'
import { readSecretKeys, secretKeyFile } from '../platform/secret-key-file.ts'
import { sha256 } from '../platform/sha256.ts'
import { ServeError } from '../serve-error.ts'
import { toUnreadable } from './check-database.ts'
import type { Patient } from './examine.ts'
import { RESTORE, fail, ok, warn, type Finding } from './finding.ts'

export async function checkKeys(patient: Patient): Promise<readonly Finding[]> {
  const { dataDir, storage } = patient
  const { url: database, exists } = await storage.describe()
  if (!exists) return []
  const inspection = await storage.inspect().catch(toUnreadable)
  // The check of the database reports it.
  if (inspection instanceof StorageFault) return []
  try {
    const { keys, secrets } = await readAll(inspection)
    const makeKeyWith = formatKeysCreate({ ...patient, database })
    return [checkApiKeys(keys, { dataDir, makeKeyWith }), checkSecrets(secrets, secretKeyFile(dataDir, patient.env))]
  } finally {
    await inspection.close()
  }
}

async function readAll(
  inspection: StorageInspection,
): Promise<{ readonly keys: readonly StoredKey[]; readonly secrets: readonly StoredSecret[] }> {
  return { keys: await inspection.keys(), secrets: await Array.fromAsync(inspection.secrets()) }
}

function checkApiKeys(
  keys: readonly StoredKey[],
  patient: { readonly dataDir: string; readonly makeKeyWith: string },
): Finding {
  const file = join(patient.dataDir, 'local.key')
  return explained('keys', () => {
    const api = keys.filter(({ kind }) => kind === 'api')
    const users = new Set(api.map(({ userId }) => userId)).size
    const message = `${api.length} API keys of ${users} users, ${keys.length - api.length} browser sign-ins.`
    if (api.length === 0) return warn('keys', message, `Create one: ${patient.makeKeyWith}`)
    const local = readPrivateFile(file)?.trim()
    if (local === undefined) return warn('keys', `${message} ${file} is missing.`, 'The next start creates a new one.')
    const isInForce = keys.some(({ hash }) => hash === sha256(local))
    return isInForce
      ? ok('keys', message)
      : warn('keys', `${message} The one in ${file} was revoked.`, 'The next start creates a new one.')
  })
}

function checkSecrets(secrets: readonly StoredSecret[], file: string): Finding {
  return explained('secrets', () => {
    const sealed = secrets.map((secret) => sealingKeyIdOf(secret.sealed))
    const keys = readSecretKeys(file)
    if (keys === undefined) {
      if (sealed.length === 0) return warn('secrets', `${file} is missing.`, 'The next start creates a new one.')
      return fail('secrets', `${file} is missing, so ${sealed.length} stored secrets cannot be read.`, RESTORE)
    }
    const known = new Set(keys.map(secretKeyId))
    const lost = sealed.filter((id) => id === undefined || !known.has(id)).length
    if (lost > 0) {
      return fail(
        'secrets',
        `${lost} of ${sealed.length} stored secrets were sealed with a key that ${file} does not hold.`,
        `Add the old line back to ${file}.`,
      )
    }
    const older = sealed.filter((id) => id !== secretKeyId(keys[0])).length
    const note = older === 0 ? '' : ` ${older} need its older lines.`
    return ok('secrets', `${sealed.length} stored, all sealed with a key in ${file}.${note}`)
  })
}

/** Reports a file that the server would refuse in the server's own words. */
function explained(check: string, look: () => Finding): Finding {
  try {
    return look()
  } catch (error) {
    if (!(error instanceof ServeError)) throw error
    return fail(check, error.message, 'Until then the server does not start.')
  }
}
