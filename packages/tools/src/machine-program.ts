// The programs that the server starts itself, outside of any sandbox. A folder on PATH may lie in a workspace: npm puts
// `node_modules/.bin` first. A command could put a program of the same name there, which would then run without a sandbox. So
// each name is looked up once, before the first command runs, and the path is kept.
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { hasUnixShell } from './host.ts'

const found = new Map<string, string>()

/** The absolute path. The name itself if there is no such program, or if it is a path. */
export function machineProgram(name: string): string {
  if (name.includes('/') || !hasUnixShell()) return name
  const path = found.get(name) ?? findProgram(name, process.env['PATH'] ?? '')
  if (path !== undefined) found.set(name, path)
  return path ?? name
}

/** Programs of packages come last. */
export function findProgram(name: string, path: string): string | undefined {
  const folders = path.split(delimiter).filter(isAbsolute)
  const [own, ofPackages] = [folders.filter((one) => !isOfPackages(one)), folders.filter(isOfPackages)]
  return [...own, ...ofPackages].map((folder) => join(folder, name)).find(isProgram)
}

const isOfPackages = (folder: string): boolean => folder.split('/').includes('node_modules')

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
