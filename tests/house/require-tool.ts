import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

export interface ToolEnvironment {
  readonly find: (tool: string) => string | undefined
  readonly isDebianRoot: boolean
  readonly install: (debianPackage: string) => void
}

/**
 * The path of a program that tests need: from PATH, else installed where we are root on Debian, else one sentence
 * that says which package is missing.
 */
export function requireTool(tool: string, debianPackage: string, special: Partial<ToolEnvironment> = {}): string {
  const machine = { ...thisMachine, ...special }
  const found = machine.find(tool)
  if (found) return found
  if (machine.isDebianRoot) machine.install(debianPackage)
  const installed = machine.find(tool)
  if (!installed) {
    throw new Error(
      `The tests need ${tool}: install the package ${debianPackage} (or put ${tool} on PATH) and run again.`,
    )
  }
  return installed
}

const thisMachine: ToolEnvironment = {
  find: findOnPath,
  isDebianRoot: process.getuid?.() === 0 && existsSync('/usr/bin/apt-get'),
  install: installWithApt,
}

export function findOnPath(tool: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return folders.map((folder) => join(folder, tool)).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function installWithApt(debianPackage: string): void {
  process.stderr.write(`Installing ${debianPackage} with apt-get, because the tests need it…\n`)
  const apt = (...args: string[]) =>
    spawnSync('apt-get', ['-qq', '-o', 'DPkg::Lock::Timeout=300', ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
  apt('update')
  apt('install', '-y', '--no-install-recommends', debianPackage)
}
