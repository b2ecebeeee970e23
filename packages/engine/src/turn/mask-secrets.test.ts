import { describe, expect, it } from 'vitest'
import { maskSecrets } from './mask-secrets.ts'

const SECRET = 'sk-ant/é"\\ 7+Kq=tail'
const inJson = (value: unknown): string => JSON.stringify(value)
const base64 = (text: string): string => Buffer.from(text).toString('base64')

describe('a recorded request', () => {
  it.each([
    ['as it is', SECRET],
    ['in a JSON text', inJson({ key: SECRET })],
    ['in a JSON text of a JSON text', inJson({ body: inJson({ key: SECRET }) })],
    ['in a query', `https://example.com/?key=${encodeURIComponent(SECRET)}&x=1`],
    ['in a query, with small digits', encodeURIComponent(SECRET).replaceAll(/%../g, (code) => code.toLowerCase())],
    ['in a form', new URLSearchParams({ key: SECRET.replaceAll(/["+\\=]/g, '') }).toString()],
    ['as base64', base64(SECRET)],
    ['as base64 of a URL', Buffer.from(SECRET).toString('base64url')],
    ['behind a user name', `Basic ${base64(`u:${SECRET}`)}`],
    ['behind a longer user name', `Basic ${base64(`us:${SECRET}`)}`],
    ['before something else', `Basic ${base64(`use:${SECRET}:x`)}`],
    ['as hexadecimal digits', Buffer.from(SECRET).toString('hex')],
  ])('hides a secret %s', (_, said) => {
    const secrets = [SECRET, SECRET.replaceAll(/["+\\=]/g, '')]
    const masked = maskSecrets(inJson({ content: said }), secrets, '***')
    expect(masked).toContain('***')
    // At most the digits that other bytes share remain.
    expect(masked.length).toBeLessThan(inJson({ content: said }).length - SECRET.length + 4)
    expect(JSON.parse(masked)).toHaveProperty('content')
  })

  it('hides a secret that begins like another', () => {
    expect(maskSecrets('["abcdefgh1234","abcdefgh"]', ['abcdefgh', 'abcdefgh1234'], '***')).toBe('["***","***"]')
  })

  it('hides a large secret', () => {
    const secret = 'k'.repeat(1_000_000)
    expect(maskSecrets(inJson([secret, base64(secret)]), [secret], '***').length).toBeLessThan(50)
  })

  it('leaves other words and short values alone', () => {
    expect(maskSecrets('["a token of thanks"]', ['token', ''], '***')).toBe('["a token of thanks"]')
  })
})
