import { asSessionId, type NewBlob, type UserContent } from '@polylogue/engine'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fileNote } from '../projection/user-turn.ts'
import { ANN, openRest, type Rest } from './test-support/open-rest.ts'

const PNG = Buffer.from('89504e470d0a1a0a00ff', 'hex')
const FILE = Buffer.from('<script>alert(1)</script>')

let rest: Rest
let sid: string
beforeEach(async () => {
  const sentFiles = new Map([
    ['uploads/a b.html', FILE],
    ['uploads/private.txt', FILE],
  ])
  rest = await openRest({ sentFiles })
  sid = (await rest.send('POST', '/api/sessions', { body: {} })).body.session_id
})
afterEach(() => rest.close())

async function say(content: UserContent, blobs: readonly NewBlob[] = []): Promise<void> {
  const sessionId = asSessionId(sid)
  await rest.engine.execute({ type: 'start-turn', userId: ANN, sessionId, content, blobs, whenRunning: 'queue' })
}

const image = (hash: string, mediaType: string) => ({
  content: [{ type: 'image', source: { type: 'blob', hash, mediaType } }] as const,
  blobs: [{ hash, mediaType, bytes: PNG }],
})

async function attachmentsOf(key = 'ann'): Promise<readonly { readonly url: string }[]> {
  const { body } = await rest.send('GET', `/api/sessions/${sid}/messages`, { key })
  return body[0].attachments
}

const share = () => rest.send('PATCH', `/api/sessions/${sid}/sharing`, { body: { shared: true } })

describe('an image that a user sent', () => {
  it('blade 154: is fetched at the url of its attachment, byte by byte, and its turn has a block', async () => {
    const { content, blobs } = image('abc', 'image/png')
    await say(content, blobs)
    const [attachment] = await attachmentsOf()
    const { status, headers, bytes } = await rest.send('GET', attachment?.url ?? '')
    expect([status, headers.get('content-type'), bytes]).toEqual([200, 'image/png', PNG])
    const { body } = await rest.send('GET', `/api/sessions/${sid}/messages`)
    expect(body[0].blocks).toMatchObject([{ type: 'text', content: '[image]' }])
  })

  it('is only for its owner and for guests of a shared session', async () => {
    const { content, blobs } = image('abc', 'image/png')
    await say(content, blobs)
    const [attachment] = await attachmentsOf()
    const url = attachment?.url ?? ''
    const unknown = await rest.send('GET', '/api/sessions/00000000-0000-7000-8000-999999999999/attachments/abc')
    const foreign = await rest.send('GET', url, { key: 'ben' })
    expect([foreign.status, foreign.text]).toEqual([404, unknown.text])
    expect((await rest.send('GET', url, { key: null })).status).toBe(401)
    await share()
    expect((await rest.send('GET', url, { key: 'ben' })).bytes).toEqual(PNG)
    expect((await rest.send('GET', `${url}d`, { key: 'ben' })).status).toBe(404)
  })

  it.each(['image/svg+xml', 'image/x-anything', 'text/html'])(
    'of the type %s is never opened as a page',
    async (type) => {
      const { content, blobs } = image('abc', type)
      await say(content, blobs)
      const { headers } = await rest.send('GET', `/api/sessions/${sid}/attachments/abc`)
      expect(headers.get('content-type')).toBe('application/octet-stream')
      expect(headers.get('content-disposition')).toBe('attachment')
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
      expect(headers.get('x-content-type-options')).toBe('nosniff')
    },
  )
})

describe('a file that a user sent', () => {
  const note = { type: 'text', text: fileNote('uploads/a b.html') } as const

  it('is fetched at the url of its attachment, as a download', async () => {
    await say([{ type: 'text', text: 'read it' }, note])
    const [attachment] = await attachmentsOf()
    const { status, headers, bytes } = await rest.send('GET', attachment?.url ?? '')
    expect([status, bytes]).toEqual([200, FILE])
    expect(headers.get('content-type')).toBe('application/octet-stream')
    expect(headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''a%20b.html")
  })

  it('is found by a path with an encoded slash', async () => {
    await say([note])
    expect((await rest.send('GET', `/api/sessions/${sid}/files/uploads%2Fa%20b.html`)).bytes).toEqual(FILE)
  })

  it('is for guests only where a message of the session has it', async () => {
    await say([note])
    await share()
    const as = (key: string, path: string) => rest.send('GET', `/api/sessions/${sid}/files/${path}`, { key })
    expect((await as('ben', 'uploads/a%20b.html')).status).toBe(200)
    expect((await as('ben', 'uploads/private.txt')).status).toBe(404)
    expect((await as('ann', 'uploads/private.txt')).status).toBe(200)
    expect((await as('ann', 'uploads/none.txt')).status).toBe(404)
  })

  it.each([
    'src/main.ts',
    'uploads%2F..%2Fsecret',
    'uploads/.hidden',
    'uploads/a/b',
    'uploads',
    '%2Fetc%2Fpasswd',
    'uploads%5C..%5Cx',
  ])('is not the file %s of the workspace', async (path) => {
    expect((await rest.send('GET', `/api/sessions/${sid}/files/${path}`)).status).toBe(501)
  })
})
