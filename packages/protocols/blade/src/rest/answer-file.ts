import type { Context } from 'hono'
import type { FileAnswer } from './operation.ts'

/** Image types that cannot run scripts. Everything else is a download. */
const SHOWN = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp'])

/** Users upload these files. A browser must not run them in the origin of this server. */
export function answerFile(c: Context, { bytes, mediaType = '', name }: FileAnswer): Response {
  const type = mediaType.toLowerCase()
  const isShown = SHOWN.has(type)
  const disposition = isShown ? 'inline' : 'attachment'
  return c.body(Uint8Array.from(bytes), 200, {
    'content-type': isShown ? type : 'application/octet-stream',
    'content-disposition': name === undefined ? disposition : `${disposition}; filename*=UTF-8''${encodeName(name)}`,
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
  })
}

/** RFC 8187 allows fewer characters than `encodeURIComponent` leaves as they are. */
const encodeName = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
