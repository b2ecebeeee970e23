import { readFile, readdir } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

const compress = promisify(gzip)

export interface WebFile {
  readonly body: Uint8Array<ArrayBuffer>
  /** Absent for files that are compressed already. */
  readonly gzipped?: Uint8Array<ArrayBuffer>
  readonly type: string
}

const DIST = fileURLToPath(new URL('../../../web/dist/', import.meta.url))

const TYPES: { readonly [extension: string]: string } = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/**
 * The files that the build made, by name. The folder is listed once and a name is looked up in the list, so a path of a
 * request never reaches the file system.
 */
export class WebFiles {
  readonly #folder: string
  readonly #contents = new Map<string, Promise<WebFile>>()
  #names: Promise<ReadonlySet<string>> | undefined

  constructor(folder = DIST) {
    this.#folder = folder
  }

  async find(name: string): Promise<WebFile | undefined> {
    const type = TYPES[extname(name)]
    if (type === undefined || !(await this.#list()).has(name)) return undefined
    const known = this.#contents.get(name) ?? this.#read(name, type)
    this.#contents.set(name, known)
    return known
  }

  async #read(name: string, type: string): Promise<WebFile> {
    const body = new Uint8Array(await readFile(join(this.#folder, name)))
    if (type === TYPES['.woff2']) return { body, type }
    return { body, gzipped: new Uint8Array(await compress(body, { level: 9 })), type }
  }

  async #list(): Promise<ReadonlySet<string>> {
    this.#names ??= readdir(this.#folder, { recursive: true, withFileTypes: true }).then(
      (entries) =>
        new Set(
          entries
            .filter((entry) => entry.isFile())
            .map(({ parentPath, name }) => join(parentPath, name).slice(this.#folder.length).replace(/^\//, '')),
        ),
      () => new Set<string>(),
    )
    const names = await this.#names
    // Not built yet: look again next time.
    if (names.size === 0) this.#names = undefined
    return names
  }
}
