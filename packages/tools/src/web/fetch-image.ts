import { grantToPerson, type Digest } from '@polylogue/engine'
import { imageTypeOf, type ImageType } from '../image-type.ts'
import { createAllowance } from './allowance.ts'
import type { Resolve } from './open-connection.ts'
import { parseWebAddress } from './web-address.ts'

export interface ImageFetchOptions {
  readonly digest: Digest
  /** Hosts that may be reached besides the public network. */
  readonly allowHosts?: readonly string[]
  readonly ports?: readonly number[]
  readonly resolve?: Resolve
}

export interface FetchedImage {
  readonly type: ImageType
  readonly bytes: Buffer
}

const NAME = 'FetchImage'
const PORTS = [80, 443, 8080, 8443]
const LARGEST_IMAGE = 5 * 1024 * 1024
const LONGEST_FETCH_MS = 20_000

/**
 * Fetches a picture of the public web for a person who asked for exactly this address. It follows redirects on the same
 * host, and judges by the bytes what it is. Rejects with a sentence.
 */
export async function fetchImage(url: string, options: ImageFetchOptions): Promise<FetchedImage> {
  const address = parseWebAddress(url)
  if (address === undefined) throw new Error('This is no http or https address.')
  const { digest, allowHosts = [], ports = PORTS, resolve } = options
  const { fetchPage } = await import('./fetch-page.ts')
  const page = await fetchPage({
    tool: NAME,
    grant: grantToPerson({ tool: NAME, input: { url: address.url.href } }, digest),
    address,
    rules: { allowance: createAllowance(allowHosts), ports, ...(resolve && { resolve }) },
    signal: AbortSignal.timeout(LONGEST_FETCH_MS),
    isReadable: () => true,
  })
  if (page.type === 'moved') throw new Error(`${address.host} sends its visitors to another server.`)
  if (page.status !== 200 || page.body === undefined) throw new Error(`${address.host} answered ${page.status}.`)
  if (page.body.length > LARGEST_IMAGE) throw new Error('The image is larger than 5 MiB.')
  const type = imageTypeOf(page.body)
  if (type === undefined) throw new Error('This is no PNG, JPEG, GIF or WebP image.')
  return { type, bytes: page.body }
}
