/** A message of a row, ready to be sent again. */
import type { TurnProjection } from '@polylogue/client/blade'
import type { NewMessage } from './console-model.ts'
import { readFile } from './read-files.ts'
import type { SentFile } from './outbox.ts'
import type { TurnSource } from './turn-source.ts'

/** The message that a row of the agent answers. */
export function inputOf({ fold }: TurnSource, turn: TurnProjection): TurnProjection | undefined {
  return fold.turns.findLast(
    ({ sequence, role, loop_id, blocks }) =>
      sequence < turn.sequence &&
      role === 'user' &&
      loop_id === 'root' &&
      !blocks.some(({ type }) => type === 'ask_user_answer'),
  )
}

export const textOf = ({ blocks }: Pick<TurnProjection, 'blocks'>): string =>
  blocks.flatMap(({ type, content }) => (type === 'text' && typeof content === 'string' ? [content] : [])).join('\n\n')

/** Images and files are fetched from our own server and sent anew. */
export async function saidAgain(turn: TurnProjection, text = textOf(turn)): Promise<NewMessage> {
  const own = (turn.attachments ?? []).filter(({ url }) => url?.startsWith('/') === true)
  const files = await Promise.all(own.map(({ url, name }) => fetchFile(url ?? '', name)))
  const isNamedOnly = own.length > 0 && /^(?:\[(?:image|file)[^\]]*\] ?)+$/.test(text)
  return { text: isNamedOnly ? '' : text, files }
}

async function fetchFile(url: string, name: string | null): Promise<SentFile> {
  const response = await fetch(url, { credentials: 'same-origin' })
  if (!response.ok) throw new Error(`The server answered ${response.status}.`)
  const blob = await response.blob()
  return readFile(new File([blob], name ?? 'image', { type: blob.type }))
}
