const CHECKED: ReadonlySet<string> = new Set(['prefer', 'require', 'verify-ca'])

/** The driver treats these modes like `verify-full`, and prints a warning of eight lines about it. */
export function toDriverUrl(url: string): string {
  const parsed = new URL(url)
  const { searchParams } = parsed
  if (!CHECKED.has(searchParams.get('sslmode') ?? '') || searchParams.has('uselibpqcompat')) return url
  searchParams.set('sslmode', 'verify-full')
  return parsed.href
}
