// `polylogue check` is run against servers of others. Whatever they send, it ends, keeps its memory and writes only its own words.
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { afterAll, describe, expect, it } from 'vitest'
import { AapWorld } from './aap-world.ts'
import { AcpPeer } from './acp-world.ts'
import { BladeWorld } from './blade-world.ts'
import { formatReport } from './report.ts'

const servers: { close(): unknown; closeAllConnections(): void }[] = []
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}

const endless: RequestListener = (_, response) => {
  const more = (): void => {
    while (!response.destroyed && response.write('x'.repeat(1024 * 1024)));
    response.once('drain', more)
  }
  more()
}

describe('an answer without an end', () => {
  it('is cut by every client of the check', async () => {
    const url = await serve(endless)
    const aap = new AapWorld({ baseUrl: url, key: '', version: 3, agent: 'a' }, {})
    await expect(aap.ask('GET', '/meta')).rejects.toThrow('the answer is longer than')
    const blade = new BladeWorld({ url, key: '', agent: undefined })
    await expect(blade.ask('GET', '/api/version')).rejects.toThrow('the answer is longer than')
  })

  it('of a command ends the command', async () => {
    for (const command of ["yes x | tr -d '\\n'", 'yes not-json']) {
      const peer = new AcpPeer(command)
      await expect(peer.request('initialize')).rejects.toThrow('the command ended before')
      peer.end()
    }
  })
})

it.each(['\u001b[2J\u001b[H0 failed', '\rpass  1  all\u001b[1A', 'a\nFAIL  2  faked', '\u202eb', '\u009b2J'])(
  'the words %j of a server stay on their line and control nothing',
  (words) => {
    const report = formatReport({
      protocol: 'AAP 3',
      target: 'http://x',
      agent: words,
      results: [{ rule: '1', says: 'a rule', basis: 'page', verdict: 'fail', reason: words }],
    })
    // oxlint-disable-next-line no-control-regex
    expect(report).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
    expect(report.trim().split('\n')).toHaveLength(6)
  },
)
