/** Shorter values would also replace parts of other words. */
const SHORTEST_SECRET = 6
/** A JSON text can be a string of another JSON text. */
const NESTED = 3

/** Replaces secrets in a JSON text, also where they are escaped, or encoded for a URL, as base64 or as hexadecimal digits. */
export function maskSecrets(text: string, secrets: readonly string[], mask: string): string {
  const spellings = new Set(secrets.filter(({ length }) => length >= SHORTEST_SECRET).flatMap(spellingsOf))
  // The longest first: a secret can be a part of another.
  const longestFirst = [...spellings].toSorted((one, other) => other.length - one.length)
  return longestFirst.reduce((masked, spelling) => masked.replaceAll(spelling, mask), text)
}

function spellingsOf(secret: string): readonly string[] {
  const bytes = new TextEncoder().encode(secret)
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  const inUrl = encodeURIComponent(secret.toWellFormed())
  const lowerCase = inUrl.replaceAll(/%../g, (code) => code.toLowerCase())
  return [
    ...escaped(secret),
    inUrl,
    lowerCase,
    inUrl.replaceAll('%20', '+'),
    hex,
    hex.toUpperCase(),
    ...[0, 1, 2].flatMap((before) => base64Of(bytes, before)),
  ].filter(({ length }) => length >= SHORTEST_SECRET)
}

/** The value as it stands in a JSON text, and in JSON texts within it. */
function escaped(secret: string): readonly string[] {
  const found: string[] = []
  let spelled = secret
  for (let level = 0; level < NESTED; level++) {
    spelled = JSON.stringify(spelled).slice(1, -1)
    found.push(spelled, spelled.replaceAll('/', String.raw`\/`))
  }
  return found
}

/** The digits that depend on these bytes only, where `before` bytes precede them: `user:secret` is encoded as a whole. */
function base64Of(bytes: Uint8Array, before: number): readonly string[] {
  const binary = '\0'.repeat(before) + Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  const end = Math.floor((binary.length * 8) / 6)
  const digits = btoa(binary).slice(Math.ceil((before * 8) / 6), end)
  return [digits, digits.replaceAll('+', '-').replaceAll('/', '_'), digits.replaceAll('/', String.raw`\/`)]
}
