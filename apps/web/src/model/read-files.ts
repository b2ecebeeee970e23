import type { SentFile } from './outbox.ts'

const IMAGE = /^image\/(?:png|jpeg|gif|webp)$/
/** Of all files of a message. The server takes no larger message; base64 makes a third more of it. */
export const MOST_BYTES = 16 * 1024 * 1024

/** Called with the part that was read, from 0 to 1. */
export type OnRead = (part: number) => void

/** Images become data URLs, other files base64. */
export async function readFile(file: File, onRead: OnRead = () => undefined): Promise<SentFile> {
  const url = await toDataUrl(file, onRead)
  const isImage = IMAGE.test(file.type)
  return { type: isImage ? 'image' : 'file', name: file.name, content: isImage ? url : (url.split(',', 2)[1] ?? '') }
}

function toDataUrl(file: Blob, onRead: OnRead): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const reader = new FileReader()
  reader.addEventListener('progress', ({ loaded, total }) => onRead(total === 0 ? 0 : loaded / total))
  reader.addEventListener('load', () => resolve(typeof reader.result === 'string' ? reader.result : ''))
  reader.addEventListener('error', () => reject(reader.error ?? new Error('the file could not be read')))
  reader.readAsDataURL(file)
  return promise
}
