import { describe, expect, it } from 'vitest'
import { embedHost, mayEmbed, readEmbedCookie, sessionOfEmbed } from './embed-cookie.ts'

const ID = '0198c0de-0000-7000-8000-000000000001'
const OTHER = '0198c0de-0000-7000-8000-000000000002'
const own = `/api/polylogue/sessions/${ID}`

describe('an embedded page', () => {
  it.each([
    ['GET', '/socket.io/?EIO=4'],
    ['POST', '/signout'],
    ['GET', `${own}?messages=0`],
    ['GET', `${own}/turns?limit=50`],
    ['GET', `${own}/waiting`],
    ['GET', `${own}/cards/c1`],
    ['POST', `${own}/calls/c1/approval`],
    ['POST', `${own}/compact`],
    ['POST', `${own}/cards/c1`],
    ['DELETE', `${own}/queue/entry_1`],
    ['GET', `/api/sessions/${ID}`],
    ['GET', '/api/polylogue/me'],
  ])('may send %s %s', (method, url) => {
    expect(mayEmbed({ method, url }, ID)).toBe(true)
  })

  it.each([
    ['PATCH', own],
    ['POST', `${own}/fork`],
    ['POST', `${own}/embed`],
    ['GET', `${own}/doors`],
    ['GET', `${own}/events`],
    ['DELETE', `${own}/overrides`],
    ['GET', `/api/polylogue/sessions/${OTHER}`],
    ['GET', `/api/polylogue/sessions/${OTHER}/turns`],
    ['GET', `/api/polylogue/sessions/${ID}x/turns`],
    ['GET', `${own}/../${OTHER}/turns`],
    ['GET', `${own}/%2e%2e/${OTHER}/turns`],
    ['GET', `/api/sessions/${ID}/attachments/../../${OTHER}`],
    ['GET', `/api/sessions/${ID}/attachments/..\\..\\${OTHER}`],
    ['GET', '/api/polylogue/sessions'],
    ['GET', '/api/sessions'],
    ['DELETE', `/api/sessions/${ID}`],
    ['PATCH', `/api/sessions/${ID}/sharing`],
    ['GET', '/api/polylogue/keys'],
    ['POST', '/api/polylogue/keys'],
    ['POST', '/api/polylogue/permissions'],
    ['POST', '/api/polylogue/images'],
    ['GET', `/aap/v3/sessions/${ID}`],
    ['GET', '/metrics'],
  ])('may not send %s %s', (method, url) => {
    expect(mayEmbed({ method, url }, ID)).toBe(false)
  })

  it('is known by its record on the host that it was made for', () => {
    expect(sessionOfEmbed(embedHost(ID, 'agents.example'), 'agents.example')).toBe(ID)
    expect(sessionOfEmbed(embedHost(ID, 'agents.example'), 'other.example')).toBeUndefined()
    expect(sessionOfEmbed('agents.example', 'agents.example')).toBeUndefined()
    expect(readEmbedCookie('a=b; __Host-polylogue_embed=xyz')).toBe('xyz')
    expect(readEmbedCookie('polylogue_embed=xyz')).toBeUndefined()
  })
})
