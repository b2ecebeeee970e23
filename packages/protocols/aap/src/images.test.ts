import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { IncomingImages, loadImageUrls } from './images.ts'

const digest = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex')
const PNG = 'data:image/png;base64,iVBORw0KGgo='

describe('images in a request', () => {
  it('come back as the very URI that was sent, their bytes kept once', async () => {
    const images = new IncomingImages(['data'], digest)
    const parts = [images.toPart(PNG, 'a'), images.toPart(PNG, 'b')]
    expect(images.blobs).toHaveLength(1)
    const [blob] = images.blobs
    expect(blob).toMatchObject({ hash: digest(Buffer.from('iVBORw0KGgo=', 'base64')), mediaType: 'image/png' })
    const urls = await loadImageUrls(
      parts.map((part) => part.source),
      async () => blob,
    )
    expect(parts.map((part) => urls(part.source))).toEqual([PNG, PNG])
  })

  it('are kept as URLs when they are https', () => {
    const images = new IncomingImages(['http'], digest)
    const url = 'https://example.org/a.png?x=1#y'
    expect(images.toPart(url, 'a')).toEqual({ type: 'image', source: { type: 'url', url } })
    expect(images.blobs).toEqual([])
  })

  it.each([
    'http://example.org/a.png',
    'file:///etc/passwd',
    'ftp://example.org/a.png',
    'javascript:alert(1)',
    ' https://example.org/a.png',
    'https://',
    '',
    'data:image/png;base64,',
    'data:text/html;base64,iVBORw0KGgo=',
    'data:image/png,iVBORw0KGgo=',
    'data:image/png;charset=utf-8;base64,iVBORw0KGgo=',
    'data:image/png;base64,iVBORw0KGgo',
    'data:image/png;base64,iVBORw0KGgp=',
    'data:image/png;base64,iVBO Rw0KGgo=',
    'data:image/png;base64,iVBORw0KGgo=\n',
  ])('%j is refused', (url) => {
    expect(() => new IncomingImages(['http', 'data'], digest).toPart(url, 'messages[0].content[1].url')).toThrow(
      /^messages\[0\]\.content\[1\]\.url: /,
    )
  })

  it('need the capability for their kind', () => {
    expect(() => new IncomingImages(['http'], digest).toPart(PNG, 'x')).toThrow(
      'x: the agent does not take data images',
    )
    expect(() => new IncomingImages(['data'], digest).toPart('https://example.org', 'x')).toThrow(
      'x: the agent does not take http images',
    )
  })
})
