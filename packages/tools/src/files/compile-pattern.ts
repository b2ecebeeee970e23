/** Throws a `SyntaxError`. Accepts a leading `(?i)`, because models write it. */
export function compilePattern(pattern: string, { ignoreCase }: { readonly ignoreCase: boolean }): RegExp {
  const source = pattern.replace(/^\(\?i\)/, '')
  const flags = ignoreCase || source !== pattern ? 'i' : ''
  try {
    return new RegExp(source, `${flags}u`)
  } catch {
    // Without the flag `u`, unnecessary backslashes are allowed: `\-`.
    return new RegExp(source, flags)
  }
}
