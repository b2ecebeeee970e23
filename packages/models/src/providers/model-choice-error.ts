/** A model that cannot be had: its name, its provider or the provider's address is wrong. The message is a sentence. */
export class ModelChoiceError extends Error {
  override readonly name = 'ModelChoiceError'
}
