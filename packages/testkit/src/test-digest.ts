import { createHash } from 'node:crypto'
import type { Digest } from '@polylogue/engine'

export const testDigest: Digest = (content) => createHash('sha256').update(content).digest('hex')
