import { createHmac } from 'node:crypto'

/** 32 bytes for one purpose that only holders of the secret key can compute, the same ones each time. */
export function deriveBytes(secretKey: Uint8Array, purpose: string): Uint8Array {
  return createHmac('sha256', secretKey).update(`polylogue ${purpose}`).digest()
}
