/** Seals secrets with a key that is not in the database. `context` is bound in: a sealed value opens nowhere else. */
export interface SecretBox {
  seal(plain: string, context: string): Uint8Array
  /** Throws when the value was altered, sealed for another context, or sealed with a key we do not have. */
  open(sealed: Uint8Array, context: string): string
}
