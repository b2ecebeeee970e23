// Commands in the sandbox have an empty home directory, so Git knows no committer there. They get a configuration that
// contains only the name and address of the person who runs the server.
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { renamePatiently } from '../host.ts'
import { machineProgram } from '../machine-program.ts'

const LONGEST_VALUE = 200
const READ_MS = 5_000

/** Writes the configuration to `file`. Returns `false` if Git is missing or knows neither name nor address. */
export async function writeGitIdentity(file: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const values = await Promise.all([readSetting('user.name', env), readSetting('user.email', env)])
  const lines = ['name', 'email'].flatMap((key, index) => {
    const value = values[index]
    return value === undefined ? [] : [`\t${key} = "${value.replaceAll(/[\\"]/g, String.raw`\$&`)}"\n`]
  })
  if (lines.length === 0) return false
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}`
  await writeFile(draft, `[user]\n${lines.join('')}`, { mode: 0o600 })
  await renamePatiently(draft, file)
  return true
}

/** Reading a setting runs no program. Control characters are refused, because they could inject another setting. */
async function readSetting(key: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const { PATH, HOME, XDG_CONFIG_HOME } = env
  const options = { cwd: '/', env: { PATH, HOME, XDG_CONFIG_HOME, GIT_CONFIG_NOSYSTEM: '1' }, timeout: READ_MS }
  try {
    const { promisify } = await import('node:util')
    const { stdout } = await promisify(execFile)(machineProgram('git'), ['config', '--global', '--get', key], options)
    const value = stdout.replace(/\n$/, '')
    return value !== '' && value.length <= LONGEST_VALUE && !/\p{Cc}/u.test(value) ? value : undefined
  } catch (error) {
    // Git is missing, or there is no such setting.
    if (!(error instanceof Error && 'code' in error)) throw error
    return undefined
  }
}
