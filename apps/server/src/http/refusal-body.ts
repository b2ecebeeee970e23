/** A refusal before any route has answered, in the words of the API that was asked: Blade's says `detail`. */
export function refusalBody(path: string, text: string): { readonly error: string } | { readonly detail: string } {
  return /^\/api(?!\/polylogue(?:\/|$))(?:[/?]|$)/.test(path) ? { detail: text } : { error: text }
}
