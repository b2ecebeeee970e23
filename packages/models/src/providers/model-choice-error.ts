/** The model's name, provider or address is wrong. The message is a complete sentence. */
export class ModelChoiceError extends Error {
  override readonly name = 'ModelChoiceError'
}
