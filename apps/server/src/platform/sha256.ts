import type { Digest } from '@polylogue/engine'
import { hash } from 'node:crypto'

export const sha256: Digest = (content) => hash('sha256', content, 'hex')
