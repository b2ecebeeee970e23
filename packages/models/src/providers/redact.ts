const KEYS =
  /\b(sk|rk|pk|gsk|xai|key)[-_][A-Za-z0-9_-]{8,}|\bAIza[A-Za-z0-9_-]{10,}|(?<=bearer\s)\S+|(?<=[?&]key=)[^&\s"]+/gi

/** Text for the log, truncated, with the given secrets and anything that looks like a key removed. */
export function redact(text: string, secrets: readonly string[], longest = 500): string {
  let clean = text
  for (const secret of secrets) if (secret.length > 3) clean = clean.replaceAll(secret, '***')
  return clean.replaceAll(KEYS, '***').slice(0, longest)
}
