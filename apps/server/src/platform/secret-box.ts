import type { RandomBytes, SecretBox } from '@polylogue/engine'
import { createCipheriv, createDecipheriv, hash } from 'node:crypto'

/**
 * AES-256-GCM. A sealed value is
 *
 *     version (1 byte, = 1) | key id (8) | nonce (12) | ciphertext | tag (16)
 *
 * The version, the key id and the context are authenticated with it. The key id is the start of the key's SHA-256, so
 * values sealed with an older key stay readable while that key is still given.
 */
const VERSION = 1
const KEY_BYTES = 32
const KEY_ID_BYTES = 8
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEADER_BYTES = 1 + KEY_ID_BYTES
const OVERHEAD_BYTES = HEADER_BYTES + NONCE_BYTES + TAG_BYTES

export interface SecretBoxOptions {
  /** The first one seals, all of them open. */
  readonly keys: readonly [Uint8Array, ...Uint8Array[]]
  readonly random: RandomBytes
}

export function createSecretBox({ keys, random }: SecretBoxOptions): SecretBox {
  const byId = new Map<string, Uint8Array>()
  for (const key of keys) {
    if (key.length !== KEY_BYTES) throw new Error(`a secret key has ${KEY_BYTES} bytes`)
    byId.set(secretKeyId(key), key)
  }
  const sealingKey = keys[0]
  const header = Buffer.concat([Buffer.of(VERSION), keyIdOf(sealingKey)])

  return {
    seal(plain, context) {
      // Random 96-bit nonces stay safe for 2^32 values under one key, far more than a server ever seals.
      const nonce = random(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', sealingKey, nonce)
      cipher.setAAD(authenticated(header, context))
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return Uint8Array.from(Buffer.concat([header, nonce, body, cipher.getAuthTag()]))
    },

    open(sealed, context) {
      const value = Buffer.from(sealed)
      if (value.length < OVERHEAD_BYTES || value[0] !== VERSION) throw new Error('this is not a sealed secret')
      const sealedHeader = value.subarray(0, HEADER_BYTES)
      const key = byId.get(sealedHeader.subarray(1).toString('hex'))
      if (key === undefined) throw new Error('this secret was sealed with a key that secret.key does not hold')
      const nonce = value.subarray(HEADER_BYTES, HEADER_BYTES + NONCE_BYTES)
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
      decipher.setAAD(authenticated(sealedHeader, context))
      decipher.setAuthTag(value.subarray(-TAG_BYTES))
      const body = decipher.update(value.subarray(HEADER_BYTES + NONCE_BYTES, -TAG_BYTES))
      return Buffer.concat([body, decipher.final()]).toString('utf8')
    },
  }
}

/** Which key a value was sealed with; `undefined` for what is no sealed value. */
export function sealingKeyIdOf(sealed: Uint8Array): string | undefined {
  if (sealed.length < OVERHEAD_BYTES || sealed[0] !== VERSION) return undefined
  return Buffer.from(sealed.subarray(1, HEADER_BYTES)).toString('hex')
}

export function secretKeyId(key: Uint8Array): string {
  return keyIdOf(key).toString('hex')
}

function keyIdOf(key: Uint8Array): Buffer {
  return hash('sha256', key, 'buffer').subarray(0, KEY_ID_BYTES)
}

function authenticated(header: Buffer, context: string): Buffer {
  return Buffer.concat([header, Buffer.from(context, 'utf8')])
}
