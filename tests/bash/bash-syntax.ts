import { spawnSync } from 'node:child_process'

/** Whether bash itself can parse it. It runs nothing. */
export function isBashSyntax(command: string): boolean {
  const { status } = spawnSync('bash', ['-n', '-c', '--', command], { stdio: 'ignore', timeout: 10_000 })
  return status === 0
}
