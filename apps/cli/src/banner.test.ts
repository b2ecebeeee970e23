import { accessSync, constants } from 'node:fs'
import { expect, it } from 'vitest'
import type { RunningServer } from '@polylogue/server'
import { formatBanner, formatReach, formatSocketLines, formatZedLine } from './banner.ts'

it('the line for Zed is a setting that starts this program on this data directory', () => {
  const settings = JSON.parse(`{${formatZedLine('/srv/my "data"')}}`) as {
    readonly agent_servers: { readonly Polylogue: { readonly command: string; readonly args: readonly string[] } }
  }
  const { command, args } = settings.agent_servers.Polylogue
  expect(args).toEqual(['acp', '--data', '/srv/my "data"'])
  accessSync(command, constants.X_OK)
})

it('the lines for Socket.IO name this server and the file of its key', () => {
  const lines = formatSocketLines({ url: 'http://127.0.0.1:1', keyFile: '/srv/local.key' }).join('\n')
  expect(lines).toMatch(
    /"\/srv\/local\.key".*fetch\('http:\/\/127\.0\.0\.1:1\/api\/sessions'.*Bearer \$\{token\}.*io\('http:\/\/127\.0\.0\.1:1'/s,
  )
})

it('the key is printed at the first start and at a terminal only', () => {
  const banner = (firstStart: boolean, isTerminal: boolean) => {
    const server = { ...SERVER, firstStart } as unknown as RunningServer
    const plain = (text: string): string => text
    return formatBanner(server, '/srv/my data', { isTerminal, write: () => undefined, dim: plain, bold: plain })
  }
  expect(banner(true, true).split('sk-secret')).toHaveLength(2)
  for (const [firstStart, isTerminal] of [
    [true, false],
    [false, true],
    [false, false],
  ] as const) {
    const text = banner(firstStart, isTerminal)
    expect(text).not.toContain('sk-secret')
    expect(text).toMatch(/^Key +\/srv\/my data\/local\.key$/m)
    expect(text).toContain("KEY=$(cat '/srv/my data/local.key')")
    expect(text).toContain('http://127.0.0.1:1/signin#code=c')
  }
})

const SERVER = {
  url: 'http://127.0.0.1:1',
  signInUrl: 'http://127.0.0.1:1/signin#code=c',
  localKey: 'sk-secret',
  localKeyFile: '/srv/my data/local.key',
  configFile: '/srv/polylogue.config.ts',
  agents: ['assistant'],
  defaultAgent: 'assistant',
  modelNote: 'demo',
  keyNotes: ['helper has no API key for openai/x: set OPENAI_API_KEY.', 'other has none.'],
  confinementNote: 'none',
}

it('the banner names the configuration that was loaded', () => {
  const plain = (text: string): string => text
  const output = { isTerminal: false, write: () => undefined, dim: plain, bold: plain }
  const server = SERVER as unknown as RunningServer
  expect(formatBanner(server, '/srv', output)).toMatch(/^Config +\/srv\/polylogue\.config\.ts$/m)
  expect(formatBanner({ ...server, configFile: undefined } as unknown as RunningServer, '/srv', output)).toMatch(
    /^Config +none: polylogue\.config\.ts/m,
  )
})

it('the banner names the agents without a key, if there are any', () => {
  const plain = (text: string): string => text
  const output = { isTerminal: false, write: () => undefined, dim: plain, bold: plain }
  const server = SERVER as unknown as RunningServer
  expect(formatBanner(server, '/srv', output)).toMatch(
    /^No key +helper has no API key for openai\/x: set OPENAI_API_KEY\.\n +other has none\.$/m,
  )
  expect(formatBanner({ ...server, keyNotes: [] }, '/srv', output)).not.toContain('No key')
})

it('one line says who can reach an open port, where, and that traffic is not encrypted', () => {
  expect(formatReach(['http://192.0.2.7:1', 'http://198.51.100.7:1'])).toMatch(
    /^Other machines can connect at http:\/\/192\.0\.2\.7:1, http:\/\/198\.51\.100\.7:1, without TLS: .+$/,
  )
})

it('the banner of a node names its database and role, and a worker shows no way that it does not serve', () => {
  const plain = (text: string): string => text
  const output = { isTerminal: false, write: () => undefined, dim: plain, bold: plain }
  const bannerOf = (role: 'all' | 'worker'): string => {
    const server = { ...SERVER, node: { role, database: 'db.example/polylogue' } }
    return formatBanner(server as unknown as RunningServer, '/srv', output)
  }
  expect(bannerOf('all')).toMatch(/^Database db\.example\/polylogue, as a node of the role all$/m)
  expect(bannerOf('all')).toContain('signin#code=c')
  expect(bannerOf('worker')).toContain('It serves /healthz, /readyz and /metrics only.')
  expect(bannerOf('worker')).not.toMatch(/signin|curl|agent_servers|io\(/)
})
