import type { ToolOutput } from '@polylogue/engine'
import { hash } from 'node:crypto'
import type { ImageType } from '../image-type.ts'
import { describeImage } from './describe-image.ts'
import { formatSize } from './format-size.ts'
import { readImageSize } from './image-size.ts'

/** Providers take at most 5 MB as base64. */
const LARGEST_IMAGE = 3_750_000
/** The maximum width and height. */
const MOST_PIXELS = 8_000

/** The image for the model, or a sentence if providers would refuse it. */
export function showImage(bytes: Buffer, mediaType: ImageType, { shown, size }: ShownFile): ToolOutput {
  const what = `${shown} is ${describeImage(bytes) ?? 'an image'} of ${formatSize(size)}.`
  const pixels = readImageSize(bytes, mediaType)
  if (bytes.length === size && pixels === undefined) return { content: `${what} It is damaged, so it is not shown.` }
  if (pixels !== undefined && Math.max(pixels.width, pixels.height) > MOST_PIXELS)
    return {
      content: `${what} It has ${pixels.width} × ${pixels.height} pixels; Read shows up to ${MOST_PIXELS} a side.`,
    }
  if (size > LARGEST_IMAGE) return { content: `${what} Read shows images of up to ${formatSize(LARGEST_IMAGE)}.` }
  const digest = hash('sha256', bytes, 'hex')
  return {
    content: [
      { type: 'text', text: what },
      { type: 'image', source: { type: 'blob', hash: digest, mediaType } },
    ],
    blobs: [{ hash: digest, mediaType, bytes }],
  }
}

interface ShownFile {
  readonly shown: string
  readonly size: number
}
