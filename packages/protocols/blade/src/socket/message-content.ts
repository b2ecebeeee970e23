import type { AgentDefinition, Digest, NewBlob, UserContent } from '@polylogue/engine'
import { parseBase64, parseImageUri } from '@polylogue/kit'
import { fileNote } from '../projection/user-turn.ts'
import type { SendRequest } from '../schema/client-events.ts'
import type { MessagePart } from '../wire.ts'
import { SocketRefusal } from './errors.ts'

const LARGEST_FILE = 16 * 1024 * 1024

export interface IncomingMessageContent {
  readonly content: UserContent
  readonly blobs: readonly NewBlob[]
}

export interface ContentDeps {
  readonly digest: Digest
  readonly images: AgentDefinition['features']['images']
  /** Answers where the file is kept; absent: files are refused. */
  readonly attachFile?: ((name: string, bytes: Uint8Array) => Promise<string>) | undefined
}

type Block = Exclude<UserContent, string>[number]
type FilePart = MessagePart & { type: 'file' }

/**
 * Bytes are kept beside the message: images as blobs of the session, files in its workspace. No file is kept before all
 * parts were found to be right.
 */
export async function toContent(message: SendRequest['message'], deps: ContentDeps): Promise<IncomingMessageContent> {
  if (typeof message === 'string') return { content: message, blobs: [] }
  const blobs = new Map<string, NewBlob>()
  const ready = message.map((part): Block | (() => Promise<Block>) => {
    if (part.type === 'text') return { type: 'text', text: part.text }
    return part.type === 'image_url' ? toImage(part, deps, blobs) : toFile(part, deps)
  })
  const content: Block[] = []
  for (const block of ready) content.push(typeof block === 'function' ? await block() : block)
  return { content, blobs: [...blobs.values()] }
}

function toImage(
  { image_url: { url } }: MessagePart & { type: 'image_url' },
  { digest, images }: ContentDeps,
  blobs: Map<string, NewBlob>,
): Block {
  if (/^https?:\/\//i.test(url) && URL.canParse(url)) {
    if (!images.includes('http')) throw invalid('the agent does not take images by URL')
    return { type: 'image', source: { type: 'url', url } }
  }
  const image = parseImageUri(url)
  if (image === undefined) throw invalid('image_url.url: expected a URL or data:<image type>;base64,…')
  if (!images.includes('data')) throw invalid('the agent does not take images')
  const { mediaType, bytes } = image
  const hash = digest(bytes)
  blobs.set(hash, { hash, mediaType, bytes })
  return { type: 'image', source: { type: 'blob', hash, mediaType } }
}

/** Answers what keeps it. */
function toFile({ name, data }: FilePart, { attachFile }: ContentDeps): () => Promise<Block> {
  if (attachFile === undefined) throw invalid('files cannot be sent with a message here')
  if (data === '') throw invalid('file.data: is empty')
  const bytes = parseBase64(data)
  if (bytes === undefined) throw invalid('file.data: expected base64 with its padding')
  if (bytes.length > LARGEST_FILE) throw invalid('file.data: is larger than 16 MiB')
  return async () => ({ type: 'text', text: fileNote(await attachFile(name, bytes)) })
}

const invalid = (message: string): SocketRefusal => new SocketRefusal('invalid_payload', message)
