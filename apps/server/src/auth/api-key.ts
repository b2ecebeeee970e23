import type { RandomBytes } from '@polylogue/engine'
import { encodeBase64Url } from '../platform/encode-base64url.ts'

export const API_KEY_PREFIX = 'sk-blade-v2-'

/** 256 random bits: a hash without salt or stretching is safe to store. */
export function makeApiKey(random: RandomBytes): string {
  return API_KEY_PREFIX + encodeBase64Url(random(32))
}
