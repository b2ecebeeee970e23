import { createHash } from 'node:crypto'
import type { ModelRequest } from '@polylogue/engine'
import type { ShownPart } from './script.ts'

/** One part of the model's request as one JSON line. Secrets appear as a digest. */
export function showPart(request: ModelRequest, what: ShownPart): string {
  return JSON.stringify(what === 'options' ? withoutSecrets(request) : request[what])
}

function withoutSecrets({ options, secretOptions }: ModelRequest): { readonly [name: string]: string } {
  const secret = new Set(secretOptions)
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [name, secret.has(name) ? shortDigest(value) : value]),
  )
}

function shortDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}
