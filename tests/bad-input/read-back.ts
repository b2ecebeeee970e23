import { type Target, ask } from './ask.ts'

/**
 * Reads every session that the user has, in every way there is, and deletes it. What was taken in must come out again:
 * a value that can be stored but not read would be found by nobody who only looks at the answer to the request.
 */
export async function readBack(target: Target, atOnce: number): Promise<readonly string[]> {
  const { ids, complaints } = await listSessions(target)
  const left = [...ids]
  const read = async (): Promise<void> => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) complaints.push(...(await readAndDelete(target, id)))
  }
  await Promise.all(Array.from({ length: atOnce }, read))
  return complaints
}

async function listSessions(target: Target): Promise<{ ids: readonly string[]; complaints: string[] }> {
  const ids: string[] = []
  const complaints: string[] = []
  const pages = new Set<string>()
  for (let after: string | undefined = ''; after !== undefined;) {
    if (pages.has(after)) {
      complaints.push(`the list of sessions comes back to where it was: ${after}`)
      break
    }
    pages.add(after)
    const path = `/aap/v3/sessions${after === '' ? '' : `?after=${after}`}`
    const { status, body, text } = await ask(target, { method: 'GET', path })
    const page = isPage(body) ? body : undefined
    if (status !== 200 || page === undefined) complaints.push(`the list of sessions: ${status} ${text.slice(0, 300)}`)
    ids.push(...(page?.sessions.map(({ sessionId }) => sessionId) ?? []))
    after = page?.next
  }
  return { ids, complaints }
}

interface Page {
  readonly sessions: readonly { readonly sessionId: string }[]
  readonly next?: string
}

function isPage(body: unknown): body is Page {
  return typeof body === 'object' && body !== null && 'sessions' in body && Array.isArray(body.sessions)
}

/** Some inputs make a session of the agent `scripted-min`, which has the other history only. */
const NOT_OFFERED = 'the agent does not offer full history'

async function readAndDelete(target: Target, id: string): Promise<readonly string[]> {
  const complaints: string[] = []
  const expect = async (method: string, path: string, expected: number): Promise<void> => {
    const { status, text, body } = await ask(target, { method, path })
    const isReadable = status === expected && (expected === 204 || body !== undefined)
    if (!isReadable && !text.includes(NOT_OFFERED))
      complaints.push(`what was taken in cannot be read: ${method} ${path}: ${status} ${text.slice(0, 300)}`)
  }
  await expect('GET', `/aap/v1/session/${id}`, 200)
  await expect('GET', `/aap/v3/sessions/${id}/history?type=full`, 200)
  await expect('GET', `/aap/v3/sessions/${id}/history?type=compacted`, 200)
  await expect('GET', `/api/polylogue/sessions/${id}`, 200)
  await expect('DELETE', `/aap/v3/sessions/${id}`, 204)
  return complaints
}
