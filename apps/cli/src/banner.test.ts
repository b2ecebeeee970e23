import { accessSync, constants } from 'node:fs'
import { expect, it } from 'vitest'
import { formatSocketLines, formatZedLine } from './banner.ts'

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
