import { describe, expect, it } from 'vitest'
import { createAccessPolicy, type AccessPolicyOptions, type RequestHead } from './access-policy.ts'

const DEFAULTS: AccessPolicyOptions = { host: '127.0.0.1', allowOrigins: [] }

function head(lines: readonly (readonly [string, string])[], changes: Partial<RequestHead> = {}): RequestHead {
  return {
    method: 'GET',
    url: '/',
    rawHeaders: lines.flat(),
    headers: Object.fromEntries(lines.toReversed().map(([name, value]) => [name.toLowerCase(), value])),
    socket: { localAddress: '127.0.0.1', localPort: 8020 },
    ...changes,
  }
}

const judge = (lines: readonly (readonly [string, string])[], options: Partial<AccessPolicyOptions> = {}) =>
  createAccessPolicy({ ...DEFAULTS, ...options }).judge(head(lines))

describe('the host of a request', () => {
  it.each(['127.0.0.1:8020', 'localhost:8020', 'LOCALHOST:8020', '[::1]:8020'])('%s is ours', (host) => {
    expect(judge([['Host', host]])).toEqual({ allowed: true })
  })

  it.each(['127.0.0.1:8021', 'localhost:5930', 'localhost', '127.0.0.1', '[::1]', '[::1]:65535', 'localhost:1'])(
    '%s is a loopback name on the port of a proxy, a tunnel or a container',
    (host) => {
      expect(judge([['Host', host]])).toEqual({ allowed: true })
      expect(judge([['Host', host]], { host: '192.168.1.5' })).toEqual({ allowed: true })
      expect(judge([...([['Host', host]] as const), ['Origin', `http://${host}`]])).toEqual({ allowed: true })
      expect(judge([...([['Host', host]] as const), ['Origin', 'http://localhost:3']])).toMatchObject({ status: 403 })
    },
  )

  it.each([
    'evil.com',
    'evil.com:8020',
    '127.0.0.1.nip.io:8020',
    'localhost.evil.com:8020',
    'localhost.:8020',
    'localhost:',
    'localhost:0',
    'localhost:080',
    'localhost:65536',
    'localhost:8020:8020',
    'localhost:+80',
    'localhost.localdomain:8020',
    '[::1:8020',
    '[::1]8020',
    '[::ffff:127.0.0.1]:8020',
    '127.0.0.1:8020/',
    '127.1:8020',
    '2130706433:8020',
    '0.0.0.0:8020',
    'user@127.0.0.1:8020',
    '127.0.0.1:8020@evil.com',
    '::1:8020',
    '',
    ' ',
    '127.0.0.1:8020, evil.com',
  ])('%j is refused', (host) => {
    expect(judge([['Host', host]])).toMatchObject({ allowed: false, status: 403 })
  })

  it('must be there, once', () => {
    expect(judge([])).toMatchObject({ status: 403 })
    expect(
      judge([
        ['Host', 'localhost:8020'],
        ['host', 'evil.com'],
      ]),
    ).toMatchObject({ status: 403 })
  })

  it('may leave out port 80, which browsers leave out', () => {
    const policy = createAccessPolicy(DEFAULTS)
    const socket = { localAddress: '127.0.0.1', localPort: 80 }
    expect(policy.judge(head([['Host', 'localhost']], { socket }))).toEqual({ allowed: true })
    expect(policy.judge(head([['Host', 'localhost:80']], { socket }))).toEqual({ allowed: true })
  })

  it('may be the bound one and the one of --public-url', () => {
    const options = { host: '192.168.1.5', publicUrl: 'https://agents.example' }
    expect(judge([['Host', '192.168.1.5:8020']], options)).toEqual({ allowed: true })
    expect(judge([['Host', '192.168.1.5:8021']], options)).toMatchObject({ status: 403 })
    expect(judge([['Host', 'agents.example']], options)).toEqual({ allowed: true })
    expect(judge([['Host', 'agents.example:443']], options)).toEqual({ allowed: true })
    expect(judge([['Host', 'agents.example:80']], options)).toMatchObject({ status: 403 })
    expect(judge([['Host', 'www.agents.example']], options)).toMatchObject({ status: 403 })
  })

  it('may be the address the client really connected to, when every address is bound', () => {
    const socket = { localAddress: '::ffff:10.0.0.7', localPort: 8020 }
    const everywhere = createAccessPolicy({ ...DEFAULTS, host: '0.0.0.0' })
    expect(everywhere.judge(head([['Host', '10.0.0.7:8020']], { socket }))).toEqual({ allowed: true })
    expect(everywhere.judge(head([['Host', '10.0.0.8:8020']], { socket }))).toMatchObject({ status: 403 })
    expect(createAccessPolicy(DEFAULTS).judge(head([['Host', '10.0.0.7:8020']], { socket }))).toMatchObject({
      status: 403,
    })
  })
})

describe('the origin of a request', () => {
  const judgeOrigin = (origin: string, options: Partial<AccessPolicyOptions> = {}) =>
    judge([...([['Host', 'localhost:8020']] as const), ['Origin', origin]], options)

  it('may be our own', () => {
    expect(judgeOrigin('http://localhost:8020')).toEqual({ allowed: true })
  })

  it.each([
    'null',
    '',
    'http://127.0.0.1:8020',
    'https://localhost:8020',
    'http://localhost:80200',
    'http://localhost:8021',
    'http://localhost',
    'http://evil.localhost:8020',
    'http://localhost:8020.evil.com',
    'http://localhost:8020/',
    'http://LOCALHOST:8020',
    'https://app.example',
    'https://app.example.evil.com',
    'https://evil-app.example',
    'https://app.example:444',
    'http://app.example',
    'https://аpp.example',
    'file://',
    '*',
  ])('%j is refused', (origin) => {
    expect(judgeOrigin(origin, { allowOrigins: ['https://other.example'] })).toMatchObject({ status: 403 })
  })

  it('may be on the exact list, and then gets a matching header', () => {
    expect(judgeOrigin('https://app.example', { allowOrigins: ['https://app.example'] })).toEqual({
      allowed: true,
      crossOrigin: 'https://app.example',
    })
    expect(judgeOrigin('https://app.example:444', { allowOrigins: ['https://app.example'] })).toMatchObject({
      status: 403,
    })
  })

  it('may be the one of --public-url, whatever name a proxy gives us', () => {
    const publicUrl = 'https://agents.example/polylogue/'
    expect(judgeOrigin('https://agents.example', { publicUrl })).toEqual({ allowed: true })
    expect(judgeOrigin('http://agents.example', { publicUrl })).toMatchObject({ status: 403 })
  })

  it('must be one', () => {
    const twice = [
      ['Host', 'localhost:8020'],
      ['Origin', 'http://localhost:8020'],
      ['Origin', 'http://localhost:8020'],
    ] as const
    expect(judge(twice)).toMatchObject({ status: 403 })
  })
})

it.each(['https://anna:hunter2@agents.example', 'http//hunter2@agents.example', 'javascript:hunter2@1'])(
  'an address that may hold a password is refused without repeating it',
  (publicUrl) => {
    const create = () => createAccessPolicy({ host: '127.0.0.1', allowOrigins: [], publicUrl })
    expect(create).toThrow(/^--public-url wants an http or https origin such as https:\/\/example\.com\.$/)
  },
)

describe('the request target', () => {
  it.each(['//healthz', 'http://127.0.0.1:8020/healthz', '*', ''])('%j is refused', (url) => {
    const policy = createAccessPolicy(DEFAULTS)
    expect(policy.judge(head([['Host', 'localhost:8020']], { url }))).toMatchObject({ status: 400 })
  })
})

it.each(['example.com', 'ftp://example.com', 'https://user:pass@example.com', '*'])(
  'the origin %j in the options refuses to start',
  (origin) => {
    expect(() => createAccessPolicy({ ...DEFAULTS, allowOrigins: [origin] })).toThrow(/--allow-origin wants/)
    expect(() => createAccessPolicy({ ...DEFAULTS, publicUrl: origin })).toThrow(/--public-url wants/)
  },
)
