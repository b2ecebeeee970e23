import type { AgentDefinition, Digest, NewBlob, UserContent } from '@polylogue/engine'
import { parseBase64, parseImageUri } from '@polylogue/kit'
import { fileNote } from '../projection/user-turn.ts'
import type { SendRequest } from '../schema/client-events.ts'
import type { MessagePart } from '../wire.ts'
import type { KeptFile } from './deps.ts'
import { SocketRefusal } from './errors.ts'

const LARGEST_FILE = 16 * 1024 * 1024

export interface IncomingMessageContent {
  readonly content: UserContent
  readonly blobs: readonly NewBlob[]
  /** Deletes the files of the message. */
  discard(): Promise<void>
}

export interface ContentDeps {
  readonly digest: Digest
  readonly images: AgentDefinition['features']['images']
  /** Absent: files are refused. */
  readonly attachFile?: ((name: string, bytes: Uint8Array) => Promise<KeptFile>) | undefined
}

type Block = Exclude<UserContent, string>[number]
type FilePart = Extract<MessagePart, { type: 'file' }>

/**
 * Images become blobs of the session. Files are stored in its workspace after all parts were checked.
 */
export async function toContent(message: SendRequest['message'], deps: ContentDeps): Promise<IncomingMessageContent> {
  if (typeof message === 'string') return { content: message, blobs: [], discard: async () => undefined }
  const blobs = new Map<string, NewBlob>()
  const ready = message.map((part): Block | (() => Promise<KeptFile>) => {
    if (part.type === 'text') return { type: 'text', text: part.text }
    return part.type === 'image_url' ? toImage(part, deps, blobs) : toFile(part, deps)
  })
  const kept: KeptFile[] = []
  const discard = async (): Promise<void> => {
    for (const file of kept.splice(0)) await file.remove()
  }
  const content: Block[] = []
  try {
    for (const block of ready) {
      if (typeof block !== 'function') content.push(block)
      else {
        const file = await block()
        kept.push(file)
        content.push({ type: 'text', text: fileNote(file.path) })
      }
    }
  } catch (error) {
    await discard()
    throw error
  }
  return { content, blobs: [...blobs.values()], discard }
}

function toImage(
  { image_url: { url } }: Extract<MessagePart, { type: 'image_url' }>,
  { digest, images }: ContentDeps,
  blobs: Map<string, NewBlob>,
): Block {
  if (/^https?:\/\//i.test(url) && URL.canParse(url)) {
    if (!images.includes('http')) throw invalid('image_url.url: this agent does not accept images by URL')
    return { type: 'image', source: { type: 'url', url } }
  }
  const image = parseImageUri(url)
  if (image === undefined) throw invalid('image_url.url: expected a URL or data:<image type>;base64,…')
  if (!images.includes('data')) throw invalid('image_url.url: this agent does not accept images')
  const hash = digest(image.bytes)
  blobs.set(hash, { hash, ...image })
  return { type: 'image', source: { type: 'blob', hash, mediaType: image.mediaType } }
}

/** Returns a function that stores the file. */
function toFile({ name, data }: FilePart, { attachFile }: ContentDeps): () => Promise<KeptFile> {
  if (attachFile === undefined) throw invalid('file: this server does not accept files in a message')
  if (data === '') throw invalid('file.data: must not be empty')
  const bytes = parseBase64(data)
  if (bytes === undefined) throw invalid('file.data: expected base64 with its padding')
  if (bytes.length > LARGEST_FILE) throw invalid('file.data: must be at most 16 MiB')
  return () => attachFile(name, bytes)
}

const invalid = (message: string): SocketRefusal => new SocketRefusal('invalid_payload', message)
