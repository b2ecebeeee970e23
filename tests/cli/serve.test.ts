import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { type Polylogue, runPolylogue, startPolylogue } from './run-polylogue.ts'

const runProgram = promisify(execFile)

let dir: TempDir
const started: Polylogue[] = []
beforeEach(async () => {
  dir = await createTempDir()
})
afterEach(async () => {
  for (const { process, finished } of started.splice(0)) {
    process.kill('SIGKILL')
    await finished
  }
  await dir.remove()
})

function serve(...flags: readonly string[]): Polylogue {
  const server = startPolylogue(['serve', '--port', '0', ...flags], { cwd: dir.path })
  started.push(server)
  return server
}

async function serveJson(...flags: readonly string[]) {
  const server = serve('--json', ...flags)
  await server.says('{"url":"')
  return { server, ready: JSON.parse(server.output().stdout) as { url: string; key: string; pid: number } }
}

async function stop(server: Polylogue): Promise<number | null> {
  server.process.kill('SIGTERM')
  return (await server.finished).code
}

describe('polylogue serve --json', () => {
  it('prints where it is, its key and its pid, and nothing else on stdout to the end', async () => {
    const { server, ready } = await serveJson()
    expect(Object.keys(ready)).toEqual(['url', 'key', 'pid'])
    expect(ready.pid).toBe(server.process.pid)
    expect(ready.key).toBe((await readFile(join(dir.path, '.polylogue', 'local.key'), 'utf8')).trim())
    expect((await fetch(`${ready.url}/healthz`)).status).toBe(200)
    const status = await fetch(`${ready.url}/api/polylogue/status`, {
      headers: { authorization: `Bearer ${ready.key}` },
    })
    expect(status.status).toBe(200)
    expect(await stop(server)).toBe(0)
    expect(server.output().stdout).toBe(`${JSON.stringify(ready)}\n`)
  })

  it('is what happens without a verb', async () => {
    const server = startPolylogue(['--port', '0', '--json'], { cwd: dir.path })
    started.push(server)
    await server.says('{"url":"')
    expect(await stop(server)).toBe(0)
  })

  it('accepts further keys, serves the scripted agents and uses the given data directory', async () => {
    const data = join(dir.path, 'elsewhere')
    const { ready } = await serveJson('--key', 'one', '--key', 'two', '--scripted', '--data', data)
    expect(await readFile(join(data, 'local.key'), 'utf8')).toBe(`${ready.key}\n`)
    for (const key of ['one', 'two', ready.key]) {
      const sessions = await fetch(`${ready.url}/aap/v3/sessions`, { headers: { authorization: `Bearer ${key}` } })
      expect(sessions.status).toBe(200)
    }
    const meta = await fetch(`${ready.url}/aap/v3/meta`, { headers: { authorization: 'Bearer two' } })
    const { agents } = (await meta.json()) as { agents: { name: string }[] }
    expect(agents.map(({ name }) => name)).toEqual(['assistant', 'coder', 'scripted', 'scripted-min'])
  })

  it('lets pages of an allowed origin in, and no others', async () => {
    const { ready } = await serveJson('--allow-origin', 'https://app.example', 'https://two.example')
    const ask = (origin: string) => fetch(`${ready.url}/healthz`, { headers: { origin } })
    expect((await ask('https://app.example')).headers.get('access-control-allow-origin')).toBe('https://app.example')
    expect((await ask('https://two.example')).status).toBe(200)
    expect((await ask('https://evil.example')).status).toBe(403)
  })
})

describe('polylogue serve, for a human', () => {
  it('prints a link and lines that a shell can run as they stand, and no key into a log', async () => {
    const server = serve()
    await server.says('Stop')
    const { stdout: banner } = server.output()
    expect(banner).toMatch(/http:\/\/127\.0\.0\.1:\d+\/signin#code=[\w-]+/)
    expect(banner).not.toContain((await readFile(join(dir.path, '.polylogue', 'local.key'), 'utf8')).trim())
    expect(banner).toContain(`KEY=$(cat ${join(dir.path, '.polylogue', 'local.key')})`)
    expect(banner).toContain('demo')
    const lines = banner.split('\n').filter((line) => /^(URL=|SESSION=|curl )/.test(line))
    expect(lines).toHaveLength(3)
    const { stdout } = await runProgram('sh', ['-euc', lines.join('\n')])
    expect(stdout).toMatch(/^event: turn_start\n/)
    expect(stdout).toContain('event: text_delta\n')
    expect(stdout).toMatch(/"stopReason":"end_turn"\}\nid: \d+\n\n$/)
    expect(await stop(server)).toBe(0)
  })
})

describe('polylogue serve --host', () => {
  it.each([
    ['0.0.0.0', /^Network {2}Other machines can connect.*, without TLS: .+$/m],
    ['127.0.0.1', /^(?![^]*Other machines)/],
  ])('%s says whether others reach it', async (host, line) => {
    const server = serve('--host', host)
    await server.says('Stop')
    expect(server.output().stdout).toMatch(line)
  })
})

describe('polylogue serve, at its end', () => {
  it('lets a running turn finish on the first signal', async () => {
    const { server, ready } = await serveJson('--scripted')
    const turn = await startSleepingTurn(ready, 'say One\nsleep 700\nsay Two')
    server.process.kill('SIGTERM')
    expect(await turn.rest()).toContain('"stopReason":"end_turn"')
    expect((await server.finished).code).toBe(0)
  })

  it('ends on a signal even when its log has no reader', async () => {
    const { server } = await serveJson()
    server.process.stderr.destroy()
    expect(await stop(server)).toBe(0)
  })

  it('stops at once on the second signal, and keeps the turn for the next start', async () => {
    const { server, ready } = await serveJson('--scripted')
    const turn = await startSleepingTurn(ready, 'say One\nsleep 2000\nsay Two')
    server.process.kill('SIGINT')
    await server.says('draining')
    server.process.kill('SIGINT')
    expect((await server.finished).code).toBe(0)
    const next = await serveJson('--scripted')
    const events = await fetch(`${next.ready.url}/aap/v3/sessions/${turn.sessionId}/events?after=0`, {
      headers: { authorization: `Bearer ${next.ready.key}` },
    })
    expect(await events.text()).toContain('"stopReason":"end_turn"')
  })
})

describe('polylogue serve, when it cannot start', () => {
  it('says in one line that the port is taken', async () => {
    const { ready } = await serveJson()
    const other = join(dir.path, 'other')
    const { code, stdout, stderr } = await runPolylogue(['--port', new URL(ready.url).port, '--data', other], {
      cwd: dir.path,
    })
    expect(code).not.toBe(0)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/^polylogue: .*port.*\n$/i)
  })

  it('says in one line that the data directory is in use', async () => {
    await serveJson()
    const { code, stdout, stderr } = await runPolylogue(['--port', '0'], { cwd: dir.path })
    expect(code).not.toBe(0)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/^polylogue: .+\n$/)
  })

  it.each([
    ['one.ts', 'skSECRETCANARY', 'line 2, column 11: an undefined name; strings need quotes'],
    ['two.js', 'sk SECRETCANARY', 'line 2: Unexpected identifier'],
    ['three.mts', 'sk SECRETCANARY', "line 2: Expected ',', got 'ident'"],
  ])('C27: names no secret that lacks its quotes in %s', async (file, secret, problem) => {
    await writeFile(join(dir.path, file), `export default {\n  apiKey: ${secret} }`)
    const { stderr } = await runPolylogue(['--port', '0', '--config', file], { cwd: dir.path })
    expect(stderr).toBe(`polylogue: ${file}: ${problem}\n`)
  })

  it('says in one line what is wrong with the configuration', async () => {
    await writeFile(join(dir.path, 'bad.json'), '{"agents":[{"name":1}]}')
    const { code, stdout, stderr } = await runPolylogue(['--port', '0', '--config', 'bad.json'], { cwd: dir.path })
    expect(code).toBe(78)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/^polylogue: .*bad\.json.*\n$/)
  })
})

async function startSleepingTurn(ready: { url: string; key: string }, script: string) {
  const headers = { authorization: `Bearer ${ready.key}`, 'content-type': 'application/json' }
  const post = (path: string, body: object) =>
    fetch(`${ready.url}/aap/v3${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  const created = await post('/sessions', { agent: { name: 'scripted' } })
  const { sessionId } = (await created.json()) as { sessionId: string }
  const turn = await post(`/sessions/${sessionId}/turns`, {
    stream: 'delta',
    messages: [{ role: 'user', content: script }],
  })
  const reader = turn.body?.pipeThrough(new TextDecoderStream()).getReader()
  let seen = ''
  while (!seen.includes('"One')) seen += (await reader?.read())?.value ?? ''
  return {
    sessionId,
    async rest() {
      for (;;) {
        const next = await reader?.read()
        if (!next || next.done) return seen
        seen += next.value
      }
    },
  }
}
