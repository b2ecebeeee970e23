import { accessSync, constants } from 'node:fs'
import { expect, it } from 'vitest'
import { formatReach, formatSocketLines, formatZedLine } from './banner.ts'

it('the line for Zed is a setting that starts this program on this data directory', () => {
  const settings = JSON.parse(`{${formatZedLine('/srv/my "data"')}}`) as {
    readonly agent_servers: { readonly Polylogue: { readonly command: string; readonly args: readonly string[] } }
  }
  const { command, args } = settings.agent_servers.Polylogue
  expect(args).toEqual(['acp', '--data', '/srv/my "data"'])
  accessSync(command, constants.X_OK)
})

it('the lines for Socket.IO name this server and its key', () => {
  const lines = formatSocketLines({ url: 'http://127.0.0.1:1', key: 'sk-x' }).join('\n')
  expect(lines).toMatch(
    /fetch\('http:\/\/127\.0\.0\.1:1\/api\/sessions'.*Bearer sk-x.*io\('http:\/\/127\.0\.0\.1:1'.*chat:send/s,
  )
})

it('one line says who reaches an open port, where, and that nothing hides what passes', () => {
  expect(formatReach(['http://192.0.2.7:1', 'http://198.51.100.7:1'])).toMatch(
    /^Other machines reach it at http:\/\/192\.0\.2\.7:1, http:\/\/198\.51\.100\.7:1, without TLS: .+$/,
  )
})
