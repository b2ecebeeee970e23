import { realpath } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { Refusal } from './refusal.ts'

/** Returns the real path of a directory: a session does not follow a link that is changed later. */
export async function checkDirectory(directory: string): Promise<string> {
  if (!isAbsolute(directory)) throw new Refusal(400, 'directory: must be an absolute path')
  return realpath(directory).catch(() => directory)
}
