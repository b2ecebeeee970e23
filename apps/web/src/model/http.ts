/** The server refused a request. The message is a sentence for people. */
export class Refused extends Error {
  readonly status: number
  readonly code: string | undefined

  constructor(status: number, message: string, code?: string) {
    super(message)
    this.name = 'Refused'
    this.status = status
    this.code = code
  }
}

export type JsonObject = { readonly [name: string]: unknown }

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A request to our own origin. The cookie signs it in, which the server accepts for JSON only. */
export async function request(method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(path, {
    method,
    credentials: 'same-origin',
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const answer = parseJson(text)
  if (response.ok) return answer
  const said = isObject(answer) ? (answer['error'] ?? answer['detail']) : undefined
  const code = isObject(answer) && typeof answer['code'] === 'string' ? answer['code'] : undefined
  throw new Refused(response.status, typeof said === 'string' ? said : `The server answered ${response.status}.`, code)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
