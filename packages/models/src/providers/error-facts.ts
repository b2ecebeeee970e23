// Extracts the facts from any AI SDK error: a failed request, an error inside a stream, a broken connection, an unreadable
// answer. Clients never see any of it.
export interface ErrorFacts {
  /** The HTTP status, or its equivalent inside a stream. 200 means the answer broke. */
  readonly status?: number
  /** All text of the error, bounded. */
  readonly said: string
  /** The same in lower case. */
  readonly text: string
  /** Names and codes of the error and its causes, such as `AI_APICallError` and `ECONNREFUSED`. */
  readonly codes: ReadonlySet<string>
  readonly headers: { readonly [name: string]: string }
}

const LONGEST_TEXT = 4000
const DEEPEST_CAUSE = 8

export function readError(error: unknown): ErrorFacts {
  const codes = new Set<string>()
  const texts: string[] = []
  let status: number | undefined
  let headers: Record<string, string> = {}
  for (const link of chainOf(error)) {
    for (const key of ['name', 'code', 'type']) addText(link[key], (text) => codes.add(text))
    for (const key of ['message', 'responseBody']) addText(link[key], (text) => texts.push(text))
    const own = link['statusCode'] ?? link['code']
    if (typeof own === 'number' && own >= 100 && own < 600) status ??= own
    if (isRecord(link['responseHeaders'])) headers = { ...stringsOf(link['responseHeaders']), ...headers }
  }
  const said = texts.join(' ').slice(0, LONGEST_TEXT)
  return {
    ...(status !== undefined && { status }),
    said,
    text: said.toLowerCase(),
    codes,
    headers,
  }
}

type Link = { readonly [key: string]: unknown }

/** The error, its causes, and the data that a provider put into it. */
function* chainOf(error: unknown): Generator<Link> {
  let link = error
  for (let depth = 0; depth < DEEPEST_CAUSE && isRecord(link); depth++) {
    yield link
    const data = link['data']
    if (isRecord(data)) yield data
    if (isRecord(data) && isRecord(data['error'])) yield data['error']
    link = link['cause']
  }
}

function addText(value: unknown, add: (text: string) => void): void {
  if (typeof value === 'string' && value !== '') add(value)
}

function isRecord(value: unknown): value is Link {
  return typeof value === 'object' && value !== null
}

function stringsOf(value: Link): Record<string, string> {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (typeof item === 'string' ? [[key.toLowerCase(), item]] : [])),
  )
}
