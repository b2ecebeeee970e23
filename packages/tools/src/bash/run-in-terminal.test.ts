import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInvocation } from '@polylogue/testkit'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { EditorTerminals, TerminalCommand } from '@polylogue/engine'
import type { BashToolOptions } from './bash-options.ts'
import { createBashTool } from './bash-tool.ts'
import { buildTerminalArgv, writeLauncher } from './command-argv.ts'
import { detectSandbox } from '../sandbox/detect-sandbox.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'polylogue-test-')))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const workspace = { cwd: folder, roots: [folder] }
const said: string[] = []
const commands: TerminalCommand[] = []
let told: { text: string; isCut: boolean } | undefined
beforeEach(() => {
  told = undefined
  said.length = 0
  commands.length = 0
})

/** An editor that runs each command and kills only the process that it started. */
const terminals: EditorTerminals = {
  async open(command) {
    commands.push(command)
    said.push('open')
    const child = spawn(command.file, command.args, { cwd: command.cwd, env: command.environment })
    let text = ''
    child.stdout.on('data', (piece) => (text += String(piece)))
    child.stderr.on('data', (piece) => (text += String(piece)))
    const exit = once(child, 'close')
    return {
      async exited(signal) {
        const gone = once(signal, 'abort').then(() => Promise.reject(new Error('abandoned')))
        const [code, endSignal] = await Promise.race([exit, gone])
        return { ...(code !== null && { exitCode: code }), ...(endSignal !== null && { signal: endSignal }) }
      },
      async output() {
        said.push('output')
        return told ?? { text, isCut: false }
      },
      async kill() {
        said.push('kill')
        child.kill('SIGKILL')
      },
      async release() {
        said.push('release')
        child.kill('SIGKILL')
      },
    }
  },
}

function toolWith(given: EditorTerminals | 'none', options: Partial<BashToolOptions> = {}) {
  return createBashTool({
    stateDir: join(folder, 'state'),
    outputDir: join(folder, 'outputs'),
    sandbox: 'none',
    editorOf: () => (given === 'none' ? {} : { terminals: given }),
    ...options,
  })
}

const run = (command: string, given: EditorTerminals | 'none' = terminals, input = {}, signal?: AbortSignal) => {
  const tool = toolWith(given)
  return tool.run(createInvocation(tool, { command, ...input }, { workspace, ...(signal && { signal }) }))
}

describe('Bash in a terminal of the editor', () => {
  it('gives the model what was printed and how it ended, and gives the terminal back', async () => {
    expect(await run('echo hi; echo $TERM; pwd; exit 3')).toEqual({
      content: `hi\ndumb\n${folder}\nExit code 3.`,
      isError: true,
      meta: { sandbox: 'none', exitCode: 3, terminal: true },
    })
    expect(said).toEqual(['open', 'output', 'release'])
    expect(commands).toMatchObject([{ toolCallId: 'tc_1', cwd: folder, outputBytes: 65_536 }])
    expect(commands[0]?.args).toEqual(['-c', 'echo hi; echo $TERM; pwd; exit 3'])
    expect(Object.keys(commands[0]?.environment ?? {})).toEqual(expect.arrayContaining(['PATH', 'POLYLOGUE_CALL']))
  })

  it('shows the text of a terminal without its colours, and says when the beginning is missing', async () => {
    told = { text: '\u001b[31mred\u001b[0m\r\n\u001b]0;title\u0007end\u0008', isCut: true }
    expect(await run('true')).toMatchObject({ content: '[… the beginning was left out …]\nred\nend␈' })
    told = { text: `${'x'.repeat(70_000)}last`, isCut: false }
    const { content } = await run('true')
    expect(content).toMatch(/^\[… the beginning was left out …\]\nx+last$/)
    expect(content.length).toBeLessThan(66_000)
  })

  it('runs the command here when the editor would not', async () => {
    expect(await run('echo hi', { open: async () => undefined })).toMatchObject({
      content: 'hi',
      meta: { outputBytes: 3 },
    })
    expect(await run('echo hi', 'none')).toMatchObject({ content: 'hi', meta: { outputBytes: 3 } })
  })

  it('does not run it again when it may have started', async () => {
    const silent = { open: () => Promise.reject(new Error('no answer')) }
    await expect(run('touch twice', silent)).rejects.toThrow('which may have run')
    expect(existsSync(join(folder, 'twice'))).toBe(false)
  })

  it('kills a command that takes too long, and its processes', async () => {
    const output = await run('sh -c "sleep 60" & echo begun; sleep 60', terminals, { timeoutMs: 4000 })
    expect(output).toMatchObject({
      content: 'begun\nStopped: it took longer than 4000 ms.',
      isError: true,
      meta: { stopped: 'time-limit' },
    })
    expect(said).toEqual(['open', 'kill', 'output', 'release'])
  })

  it('kills and gives back when the call is cancelled', async () => {
    const cancel = new AbortController()
    const opened: EditorTerminals = {
      async open(...args) {
        const terminal = await terminals.open(...args)
        setImmediate(() => cancel.abort())
        return terminal
      },
    }
    expect(await run('sleep 60', opened, {}, cancel.signal)).toMatchObject({ meta: { stopped: 'cancelled' } })
    expect(said).toEqual(['open', 'kill', 'output', 'release'])
  })

  it('acp finding 7: keeps what a cancelled command has printed', async () => {
    const cancel = new AbortController()
    const opened: EditorTerminals = {
      async open(...args) {
        const terminal = await terminals.open(...args)
        setImmediate(() => cancel.abort())
        return terminal
      },
    }
    told = { text: 'so \u001b[1mfar\u001b[0m', isCut: false }
    const tool = toolWith(opened)
    const call = createInvocation(tool, { command: 'sleep 60' }, { workspace, signal: cancel.signal })
    const shown: string[] = []
    await tool.run({ ...call, progress: (text) => void shown.push(text) })
    expect(shown).toEqual(['so far'])
  })

  it('releases a terminal whose editor does not answer when the command is cancelled', async () => {
    const cancel = new AbortController()
    const opened: EditorTerminals = {
      async open(...args) {
        const terminal = await terminals.open(...args)
        setImmediate(() => cancel.abort())
        return terminal && { ...terminal, output: () => new Promise(() => undefined) }
      },
    }
    expect(await run('sleep 60', opened, {}, cancel.signal)).toMatchObject({ meta: { stopped: 'cancelled' } })
    expect(said).toEqual(['open', 'kill', 'release'])
  })

  it('says so when the terminal is lost, and ends what is left of the command', async () => {
    const leaving: EditorTerminals = {
      async open(...args) {
        const terminal = await terminals.open(...args)
        return terminal && { ...terminal, exited: () => Promise.reject(new Error('gone')) }
      },
    }
    expect(await run('sleep 60', leaving)).toMatchObject({
      content: 'Stopped: the editor has closed the terminal that it ran in.',
      isError: true,
    })
    expect(said.at(-1)).toBe('release')
  })

  it('kills what a command has left running', async () => {
    expect(await run('(setsid sleep 60 >/dev/null 2>&1 &) ; echo done')).toMatchObject({
      content: 'done\nKilled 1 process that the command had left running.',
      meta: { leftovers: 1 },
    })
  })

  it('asks the editor for nothing without the grant for exactly this command', async () => {
    const tool = toolWith(terminals)
    const call = createInvocation(tool, { command: 'echo a' }, { workspace })
    const other = createInvocation(tool, { command: 'echo b' }, { workspace })
    await expect(tool.run({ ...call, grant: other.grant })).rejects.toThrow('the grant is for another command')
    await expect(tool.run({ ...call, grant: { ...call.grant } })).rejects.toThrow('no grant was issued')
    expect(commands).toEqual([])
  })

  it('keeps the sandbox where there is one, and ends with it', async () => {
    const tool = toolWith(terminals, { sandbox: 'auto' })
    const sandbox = await detectSandbox()
    const input = { command: 'touch inside; sleep 60', timeoutMs: 1500 }
    const output = await tool.run(createInvocation(tool, input, { workspace }))
    expect(output).toMatchObject({ meta: { sandbox, stopped: 'time-limit', terminal: true } })
    // Finding 10: the editor shows the command, not the line of the sandbox.
    const place = join(folder, 'state', 'terminals')
    const line = sandbox === 'bubblewrap' ? /^\S+\/state\/terminals\/in-\w+\/sandbox -c touch/ : /^-c touch/
    expect(commands[0]?.args.join(' ')).toMatch(line)
    expect(commands[0]?.args.at(-1)).toBe(input.command)
    expect(existsSync(place) ? readdirSync(place) : []).toEqual([])
    expect(existsSync(join(folder, 'inside'))).toBe(true)
  })

  it('is held by a shell, and ends as it ends, whatever holds it', async () => {
    const launcher = join(folder, 'launcher')
    const text = writeLauncher('/bin/sh', { file: 'env', args: ['-u', "it's\n"] })
    expect(text).toBe("'env' '-u' 'it'\\''s\n' '--' '/bin/sh' \"$@\"\nexit \"$?\"\n")
    await writeFile(launcher, text)
    const { file, args } = buildTerminalArgv('-q 2>/dev/null; exit 7', '/bin/sh', launcher)
    expect(args).toEqual([launcher, '-c', '--', '-q 2>/dev/null; exit 7'])
    expect(await once(spawn(file, args, { stdio: 'ignore' }), 'exit')).toEqual([7, null])
  })
})
