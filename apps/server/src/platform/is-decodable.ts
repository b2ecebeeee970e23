/** Whether a URL can be parsed, and its user, password, host and path hold no `%` that begins no character. */
export function isDecodable(text: string): boolean {
  const url = URL.parse(text)
  if (url === null) return false
  try {
    for (const part of [url.username, url.password, url.hostname, url.pathname]) decodeURIComponent(part)
    return true
  } catch {
    return false
  }
}
