/**
 * Encrypts secrets with a key that is not in the database. `context` is authenticated: a sealed value opens only in its
 * own context.
 */
export interface SecretBox {
  seal(plain: string, context: string): Uint8Array
  /** Throws if the value was altered, was sealed for another context, or was sealed with an unknown key. */
  open(sealed: Uint8Array, context: string): string
}
