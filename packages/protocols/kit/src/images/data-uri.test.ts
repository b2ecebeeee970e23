import { describe, expect, it } from 'vitest'
import { isImageType, parseBase64, parseImageUri } from './data-uri.ts'

describe('an image as a data: URI', () => {
  it('has a type and bytes', () => {
    expect(parseImageUri('data:image/svg+xml;base64,aGk=')).toEqual({
      mediaType: 'image/svg+xml',
      bytes: Buffer.from('hi'),
    })
  })

  it.each([
    'data:text/plain;base64,aGk=',
    'data:image/png,hi',
    'data:image/png;base64,',
    'data:image/png;base64,aGk',
    'data:image/png;base64,aGk=\n',
    'DATA:image/png;base64,aGk=',
    `data:image/${'x'.repeat(100)};base64,aGk=`,
    'https://example.com/a.png',
  ])('is not %s', (uri) => {
    expect(parseImageUri(uri)).toBe(undefined)
  })
})

it('takes only canonical base64, so that the same text comes back', () => {
  expect(parseBase64('aGk=')).toEqual(Buffer.from('hi'))
  for (const text of ['', 'aGk', 'aGl=', 'a-k=', ' aGk=', 'aGk=aGk=']) expect(parseBase64(text)).toBe(undefined)
})

it('knows the types of images', () => {
  expect(['image/png', 'image/svg+xml'].every(isImageType)).toBe(true)
  expect(['text/png', 'image/', 'image/a b', 'image/png;x'].some(isImageType)).toBe(false)
})
