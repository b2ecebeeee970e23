import type { SecretBox } from '@polylogue/engine'

const FORMAT = 'plain\n'

/** Fulfils the contract of a secret box without encryption: the bytes contain the plain text. */
export const plainSecretBox: SecretBox = {
  seal: (plain, context) => new TextEncoder().encode(FORMAT + JSON.stringify({ context, plain })),
  open(sealed, context) {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(sealed)
    if (!text.startsWith(FORMAT)) throw new Error('the sealed value was altered')
    const content: unknown = JSON.parse(text.slice(FORMAT.length))
    if (typeof content !== 'object' || content === null || !('context' in content) || !('plain' in content)) {
      throw new Error('the sealed value was altered')
    }
    if (content.context !== context) throw new Error('the value was sealed for another context')
    if (typeof content.plain !== 'string') throw new Error('the sealed value was altered')
    return content.plain
  },
}
