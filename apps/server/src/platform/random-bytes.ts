import type { RandomBytes } from '@polylogue/engine'
import { getRandomValues } from 'node:crypto'

export const randomBytes: RandomBytes = (length) => getRandomValues(new Uint8Array(length))
