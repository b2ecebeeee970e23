import type { Workspace } from '@polylogue/engine'
import { isAbsolute, relative, resolve } from 'node:path'
import { z } from 'zod'

/** A path from a call. `..` is resolved by name, so that the path that was shown is the path that is opened. */
export interface AskedPath {
  readonly absolute: string
  /** For people and models: relative if the path is below the working directory. */
  readonly shown: string
}

const LONGEST_PATH = 4096
const LONGEST_SHOWN = 300

/** The problem, in words that follow the name of the parameter. */
export const pathInput = z
  .string()
  .min(1)
  .max(LONGEST_PATH, `must not be longer than ${LONGEST_PATH} characters`)
  .refine((path) => !path.includes('\0'), 'must not contain a NUL character')
  .refine((path) => path.isWellFormed(), 'must be valid Unicode')
  .refine(
    (path) => !/^~(\/|$)/.test(path),
    '~ is not expanded: give an absolute path, or one relative to the workspace',
  )
  .refine((path) => !/^[a-z][a-z0-9+.-]*:\/\//i.test(path), 'must be a path, not a URL')

export function askFor(workspace: Workspace, path: string): AskedPath {
  const absolute = resolve(workspace.cwd, path)
  return { absolute, shown: showPath(workspace, absolute) }
}

export function showPath(workspace: Workspace, absolute: string): string {
  const below = relative(workspace.cwd, absolute)
  if (below === '') return '.'
  const isBelow = below !== '..' && !below.startsWith('../') && !isAbsolute(below)
  return showName(isBelow ? below : absolute)
}

/** A name may contain line breaks and control characters, so it is quoted. A very long name is cut. */
export function showName(name: string): string {
  const short = name.length > LONGEST_SHOWN ? `${name.slice(0, LONGEST_SHOWN).toWellFormed()}…` : name
  return /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}"]|^\s|\s$/u.test(short) ? JSON.stringify(short) : short
}
