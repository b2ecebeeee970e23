import { StorageFault, type StorageInspection, type StoredKey, type StoredSecret } from '@polylogue/engine'
import { join } from 'node:path'
import { formatKeysCreate } from '../auth/keys-create-line.ts'
import { SECRET_KEYS } from '../nodes/agree-on-secret-key.ts'
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
    const agreed = (await inspection.shared?.())?.agreed.get(SECRET_KEYS) ?? []
    const makeKeyWith = formatKeysCreate({ ...patient, database })
    return [
      checkApiKeys(keys, { dataDir, makeKeyWith }),
      checkSecrets(secrets, { file: secretKeyFile(dataDir, patient.env), agreed }),
    ]
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

interface SecretsPlace {
  readonly file: string
  /** The keys of the nodes that share the database. */
  readonly agreed: readonly string[]
}

function checkSecrets(secrets: readonly StoredSecret[], { file, agreed }: SecretsPlace): Finding {
  return explained('secrets', () => {
    const sealed = secrets.map((secret) => sealingKeyIdOf(secret.sealed))
    const keys = readSecretKeys(file)
    const isShared = agreed.length > 0
    if (isShared && keys !== undefined && !keys.some((key) => agreed.includes(secretKeyId(key))))
      return fail('secrets', `${file} holds no key of the nodes of this database: a node would not start.`, SAME_FILE)
    if (keys === undefined) {
      if (sealed.length === 0 && isShared)
        return warn('secrets', `${file} is missing: a node would not start here.`, SAME_FILE)
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

const SAME_FILE = 'Copy the file of a node that starts, or name it with POLYLOGUE_SECRET_KEY_FILE.'

/** Reports a file that the server would refuse in the server's own words. */
function explained(check: string, look: () => Finding): Finding {
  try {
    return look()
  } catch (error) {
    if (!(error instanceof ServeError)) throw error
    return fail(check, error.message, 'Until then the server does not start.')
  }
}
