import { posix } from 'node:path'
import { type Field, UNKNOWN } from './field.ts'
import { matchesGlob } from './matches-glob.ts'

export interface PathContext {
  readonly home: string
  /** The possible bases of relative paths: the working directory, and the targets of `cd` in the script. */
  readonly folders: readonly string[]
  /** The target of links. `undefined` if the path does not exist. Absent: links are not resolved. */
  readonly follow?: (path: string) => string | undefined
}

const SYSTEM_FOLDERS: readonly string[] = [
  '/ /bin /boot /dev /etc /home /lib /lib32 /lib64 /libx32 /media /mnt /opt /proc /root /run /sbin /srv /sys /usr /var',
  '/usr/bin /usr/include /usr/lib /usr/lib64 /usr/libexec /usr/local /usr/sbin /usr/share /var/lib',
  '/Applications /Library /System /Users /Volumes /private /private/etc /private/var',
].flatMap((line) => line.split(' '))
const SOMEBODYS_HOME = /^\/(?:home|Users)\/[^/]+$/

/** The absolute paths that a field may mean. Unknown parts stay in. */
export function pathsOf({ text }: Pick<Field, 'text'>, { folders }: Pick<PathContext, 'folders'>): readonly string[] {
  if (text === '') return []
  if (text.startsWith('/')) return [tidy(text), ...beyondProcess(text, folders)]
  return folders.map((folder) => tidy(`${folder}/${text}`))
}

/** Other names of the root and of the working directory: `/proc/self/root/etc`, `/proc/1/cwd`. */
const PROCESS = String.raw`\/proc\/(?:self|thread-self|\d+)(?:\/task\/\d+)?`
const ROOT_LINKS = new RegExp(String.raw`^(?:${PROCESS}\/root)+(?=\/|$)`)
const FOLDER_LINK = new RegExp(String.raw`^${PROCESS}\/cwd(?=\/|$)`)

function beyondProcess(text: string, folders: readonly string[]): readonly string[] {
  const path = text.replaceAll(/\/(?:\.?\/)+/g, '/')
  const fromRoot = path.replace(ROOT_LINKS, '')
  const inFolder = fromRoot.replace(FOLDER_LINK, '')
  if (inFolder !== fromRoot) return folders.map((folder) => tidy(`${folder}/${inFolder}`))
  return fromRoot === path ? [] : [tidy(`/${fromRoot}`)]
}

/** The root, a system directory or a home, or everything in one. */
export function isSystemTree(path: string, context: PathContext): boolean {
  return isHomeTree(path, context) || matchesOne(withoutGlobTail(path), SYSTEM_FOLDERS)
}

export function isHomeTree(path: string, { home }: PathContext): boolean {
  const whole = withoutGlobTail(path)
  return !whole.includes(UNKNOWN) && (SOMEBODYS_HOME.test(whole) || matchesOne(whole, [home, '/root']))
}

function matchesOne(path: string, folders: readonly string[]): boolean {
  if (path.includes(UNKNOWN)) return false
  return /[*?[]/.test(path) ? folders.some((folder) => matchesGlob(folder, path)) : folders.includes(path)
}

/** `/etc/*` and `/etc/.*` are all of `/etc`. */
export function withoutGlobTail(path: string): string {
  const parts = path.split('/')
  while (parts.length > 1 && /^\.?[*?]+$/.test(parts.at(-1) ?? '')) parts.pop()
  return parts.join('/') || '/'
}

function tidy(path: string): string {
  const normal = posix.normalize(path)
  const trimmed = normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal
  return trimmed.startsWith('//') ? trimmed.slice(1) : trimmed
}
