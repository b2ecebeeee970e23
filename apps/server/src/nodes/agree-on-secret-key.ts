import type { SharedStorage } from '@polylogue/engine'
import { secretKeyId } from '../platform/secret-box.ts'
import type { SecretKeys } from '../platform/secret-key-file.ts'
import { EXIT_CONFIG, ServeError } from '../serve-error.ts'

export const SECRET_KEYS = 'secret keys'

/** Rejects with a `ServeError` when the other nodes could not open what this one seals. A new key may join an older one. */
export async function agreeOnSecretKey({ agree }: Pick<SharedStorage, 'agree'>, keys: SecretKeys): Promise<void> {
  if (await agree(SECRET_KEYS, keys.map(secretKeyId))) return
  throw new ServeError(
    'The secret key of this node is not the one of the other nodes on this database: give all nodes the same POLYLOGUE_SECRET_KEY_FILE.',
    EXIT_CONFIG,
  )
}
