import type { Engine, RecordedEvent, SessionView, UserContent } from '@polylogue/engine'
import { fileNote, isSentFile } from '../projection/user-turn.ts'
import type { BladeRestDeps } from './deps.ts'
import { fileOperation, type Operation } from './operation.ts'
import { Refusal } from './refusal.ts'
import { sessionIdIn } from './session-access.ts'

const tag = 'Sessions'
const LARGEST_FILE = 16 * 1024 * 1024

/** Uploaded files, for everyone who may read the session. */
export function attachmentOperations(deps: Pick<BladeRestDeps, 'engine' | 'readSentFile'>): readonly Operation[] {
  const { engine, readSentFile } = deps
  return [
    fileOperation({
      method: 'GET',
      path: '/api/sessions/{sid}/attachments/{hash}',
      name: 'getAttachment',
      tag,
      summary: 'Get an image of a session: the `url` of an attachment or a tool result',
      async run({ caller: { userId }, param }) {
        const blob = await engine.readBlob(userId, sessionIdIn(param('sid')), { hash: param('hash'), as: 'guest' })
        if (blob === undefined) throw new Refusal(404, 'There is no such attachment.')
        return blob
      },
    }),
    fileOperation({
      method: 'GET',
      path: '/api/sessions/{sid}/files/{path}',
      name: 'getSentFile',
      tag,
      summary: 'Get a file that was sent with a message: the `url` of an attachment',
      refusals: { 501: 'other files of the workspace are not served' },
      async run({ caller: { userId }, param }) {
        const path = param('path')
        if (!isSentFile(path)) throw new Refusal(501, 'This server does not have this operation.')
        const session = await engine.readSession(userId, sessionIdIn(param('sid')), 'guest')
        const mayRead = session.userId === userId || (await isAttached(engine, session, path))
        const bytes = mayRead ? await readSentFile(session, path, LARGEST_FILE) : undefined
        if (bytes === undefined) throw new Refusal(404, 'There is no such file.')
        return { bytes, name: path.slice(path.lastIndexOf('/') + 1) }
      },
    }),
  ]
}

/** The working directory may belong to the owner, and its `uploads/` may contain other files. Guests get only uploads. */
async function isAttached(
  engine: Pick<Engine, 'attach'>,
  { userId, sessionId }: Pick<SessionView, 'userId' | 'sessionId'>,
  path: string,
): Promise<boolean> {
  const note = fileNote(path)
  let isFound = false
  const reader = {
    recorded({ event }: { readonly event: RecordedEvent }) {
      isFound ||= contentsIn(event).some((content) => hasPart(content, note))
      return isFound ? ('enough' as const) : undefined
    },
    delta: () => undefined,
    closed: () => undefined,
  }
  const attachment = await engine.attach(userId, sessionId, { after: { seq: 0 }, reader })
  attachment.detach()
  return isFound
}

function contentsIn(event: RecordedEvent): readonly UserContent[] {
  if (event.type === 'input.admitted' || event.type === 'input.changed') return [event.content]
  if (event.type !== 'session.seeded') return []
  return event.messages.flatMap((message) => (message.role === 'user' ? [message.content] : []))
}

const hasPart = (content: UserContent, text: string): boolean =>
  typeof content !== 'string' && content.some((part) => part.type === 'text' && part.text === text)
