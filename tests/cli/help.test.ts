import { tmpdir } from 'node:os'
import { describe, expect, it } from 'vitest'
import { runPolylogue } from './run-polylogue.ts'

const options = { cwd: tmpdir(), input: '' }

/** Makes Node write the address of every module that it loads to stderr. */
const TELL_LOADS = `--import=data:text/javascript,${encodeURIComponent(
  "import { registerHooks } from 'node:module'; " +
    "registerHooks({ load(url, context, next) { process.stderr.write(url + '\\n'); return next(url, context) } })",
)}`

describe('polylogue --help', () => {
  it.each([
    [[]],
    [['serve']],
    [['acp']],
    [['run']],
    [['chat']],
    [['keys']],
    [['keys', 'create']],
    [['keys', 'list']],
    [['keys', 'revoke']],
    [['sessions']],
    [['sessions', 'list']],
    [['sessions', 'show']],
    [['sessions', 'export']],
    [['sessions', 'import']],
    [['sessions', 'move']],
    [['import', 'claude']],
    [['init']],
    [['link']],
    [['users']],
    [['users', 'list']],
    [['users', 'add']],
    [['users', 'role']],
    [['users', 'remove']],
    [['backup']],
    [['restore']],
    [['permissions']],
    [['permissions', 'list']],
    [['permissions', 'add']],
    [['permissions', 'remove']],
    [['permissions', 'import']],
    [['permissions', 'backtest']],
    [['memory']],
    [['memory', 'list']],
    [['memory', 'add']],
    [['memory', 'remove']],
    [['usage']],
    [['models']],
    [['check']],
    [['eval']],
    [['doctor']],
    [['bench']],
  ])('shows two to four examples for %j', async (verb: string[]) => {
    const { code, stdout, stderr } = await runPolylogue([...verb, '--help'], options)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const examples = stdout.split('\n').filter((line) => line.startsWith('  $ polylogue'))
    expect(examples.length).toBeGreaterThanOrEqual(2)
    expect(examples.length).toBeLessThanOrEqual(4)
  })

  it('lists every flag of serve', async () => {
    const { stdout } = await runPolylogue(['help', 'serve'], options)
    for (const flag of 'port host data database config key scripted allow-origin public-url json'.split(' ')) {
      expect(stdout).toContain(`--${flag}`)
    }
  })

  it.each(['--help', '--version'])('answers %s without loading the server', async (flag) => {
    const { code, stdout, stderr } = await runPolylogue([flag], {
      ...options,
      environment: { NODE_OPTIONS: TELL_LOADS },
    })
    expect(code).toBe(0)
    expect(stdout).toMatch(flag === '--version' ? /^\d+\.\d+\.\d+\n$/ : /^Usage: polylogue/)
    expect(stderr).toContain('apps/cli/src/program.ts')
    expect(stderr).not.toContain('apps/server')
    expect(stderr).not.toContain('apps/cli/src/commands')
  })
})

describe('wrong usage', () => {
  it.each([
    [['dance'], 'there is no verb "dance"'],
    [['chat'], 'A chat needs a terminal. Elsewhere use: polylogue run'],
    [['run', '--nonsense'], "unknown option '--nonsense'. Add --help to see the arguments and flags."],
    [['run'], 'Missing prompt'],
    [['run', ' '], 'The prompt is empty.'],
    [['run', '-'], 'The prompt is empty.'],
    [['serve', '--port', '70000'], 'A port is a number from 0 to 65535.'],
    [['serve', 'now'], 'too many arguments'],
    [['--stdio'], "unknown option '--stdio'"],
    [['acp', '--profile', 'old'], 'Allowed choices are standard, seed.'],
    [['--acp', '--port', '1'], "unknown option '--port'"],
    [['keys'], 'Usage: polylogue keys'],
    [['keys', 'revoke'], "missing required argument 'id'. Add --help to see the arguments and flags."],
    [['sessions', 'list', '--limit', '0'], 'Give a number from 1 on.'],
    [['sessions', 'import'], "missing required argument 'file'"],
    [['permissions'], 'Usage: polylogue permissions'],
    [['memory'], 'Usage: polylogue memory'],
    [['mcp'], 'Usage: polylogue mcp'],
    [['usage', '--by', 'colour'], 'Use up to four of model, day, session'],
    [['memory', 'add'], "missing required argument 'content'"],
    [['memory', 'add', 'x', '--supersedes', 'y'], 'Give the number of a memory.'],
    [['permissions', 'add', 'maybe', 'Bash'], 'Allowed choices are allow, ask, deny.'],
    [['permissions', 'add', 'deny'], "missing required argument 'tool'"],
    [['permissions', 'add', 'deny', 'Bash', '--arg', 'command'], 'Give an argument and a pattern'],
    [['permissions', 'add', 'deny', 'Bash', '--url-arg', 'x'], '--url-arg needs --host'],
  ])('of %j exits with 2 and says why', async (args: string[], sentence) => {
    const { code, stdout, stderr } = await runPolylogue(args, options)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(sentence)
  })
})
