import type { AapClient } from '../support/aap-client.ts'
import type { SessionInfo, SessionList } from '../support/aap-wire.ts'

const MOST_PAGES = 1000

/** Every page of the list, in order. */
export async function listPages(client: AapClient): Promise<readonly SessionList[]> {
  const pages: SessionList[] = []
  let after: string | undefined
  do {
    const answer = await client.list(after)
    if (answer.status !== 200) throw new Error(`the list was refused: ${answer.status} ${answer.text}`)
    pages.push(answer.body)
    after = answer.body.next
  } while (after !== undefined && pages.length < MOST_PAGES)
  return pages
}

export async function listSessionIds(client: AapClient): Promise<readonly string[]> {
  return (await listPages(client)).flatMap(({ sessions }) => sessions.map(idOf))
}

export function idOf(item: SessionInfo | string): string {
  return typeof item === 'string' ? item : item.sessionId
}
