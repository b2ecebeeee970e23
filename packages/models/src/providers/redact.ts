const KEYS =
  /\b(sk|rk|pk|gsk|xai|key)[-_][A-Za-z0-9_-]{8,}|\bAIza[A-Za-z0-9_-]{10,}|(?<=bearer\s)\S+|(?<=[?&]key=)[^&\s"]+/gi

/** A text for the log: without the given secrets, without what looks like a key, and short. */
export function redact(text: string, secrets: readonly string[], longest = 500): string {
  let clean = text
  for (const secret of secrets) if (secret.length > 3) clean = clean.replaceAll(secret, '***')
  return clean.replaceAll(KEYS, '***').slice(0, longest)
}
