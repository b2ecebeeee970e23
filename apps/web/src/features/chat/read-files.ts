import type { SentFile } from '../../model/outbox.ts'

const IMAGE = /^image\/(?:png|jpeg|gif|webp)$/

/** Images as data URLs, other files as base64. */
export function readFiles(files: FileList): Promise<readonly SentFile[]> {
  return Promise.all(Array.from(files, readOne))
}

async function readOne(file: File): Promise<SentFile> {
  const url = await toDataUrl(file)
  const isImage = IMAGE.test(file.type)
  return { type: isImage ? 'image' : 'file', name: file.name, content: isImage ? url : (url.split(',', 2)[1] ?? '') }
}

function toDataUrl(file: Blob): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const reader = new FileReader()
  reader.addEventListener('load', () => resolve(typeof reader.result === 'string' ? reader.result : ''))
  reader.addEventListener('error', () => reject(reader.error ?? new Error('the file could not be read')))
  reader.readAsDataURL(file)
  return promise
}
