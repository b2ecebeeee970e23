import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Bash, or `/bin/sh` where there is none. */
export function findShell(): string {
  const folders = ['/bin', '/usr/bin', ...(process.env['PATH'] ?? '').split(delimiter)]
  return folders.map((folder) => join(folder, 'bash')).find(isExecutable) ?? '/bin/sh'
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
