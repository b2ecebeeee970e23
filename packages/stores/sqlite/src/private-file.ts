import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { networkFilesystemOf } from './network-filesystem.ts'
import { storageFaultOf } from './sqlite-fault.ts'

/**
 * Makes sure that a database file exists, on a local disk and private to its owner. SQLite gives its side files the mode
 * of the main file. An existing file is never opened here: closing a descriptor of it would drop the locks that this
 * process holds on it.
 */
export function preparePrivateFile(file: string, make: (file: string) => void = makeEmptyFile): void {
  const directory = dirname(file)
  if (!existsSync(directory)) throw new Error(`${file} cannot be created: there is no directory ${directory}.`)
  const network = networkFilesystemOf(directory)
  if (network !== undefined) {
    throw new Error(`${file} is on a network filesystem (${network}), where SQLite loses data: use a local disk.`)
  }
  if (existsSync(file)) return closeToOthers(file)
  try {
    make(file)
  } catch (error) {
    if (storageFaultOf(error) !== undefined) throw error
    if (!existsSync(file)) throw new Error(`${file} cannot be created.`, { cause: error })
  }
}

function makeEmptyFile(file: string): void {
  closeSync(openSync(file, 'wx', 0o600))
}

function closeToOthers(file: string): void {
  for (const path of [file, `${file}-wal`, `${file}-shm`]) {
    const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0
    if ((mode & 0o077) !== 0) chmodSync(path, 0o600)
  }
}
