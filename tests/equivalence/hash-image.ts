import { createHash } from 'node:crypto'

/** SHA-256 of an image that came as base64. */
export const hashImage = (base64: string): string =>
  createHash('sha256').update(Buffer.from(base64, 'base64')).digest('hex')
