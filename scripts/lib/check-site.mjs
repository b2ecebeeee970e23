// Reads the built site as a browser would: every link, image, script and style of every page must lead to a file, and every
// `#…` to an element of it.
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join, posix } from 'node:path'

const REFERENCE = /\s(?:href|src|srcset)="([^"]+)"/g
const ID = /\sid="([^"]+)"/g

/**
 * @param {string} outDir
 * @param {string} base begins and ends with a slash
 * @returns {{ readonly pages: number, readonly links: number, readonly dead: readonly string[] }}
 */
export function checkSite(outDir, base) {
  const names = readdirSync(outDir, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'))
  const pages = new Map(names.map((name) => [name, readFileSync(join(outDir, name), 'utf8')]))
  const anchors = new Map([...pages].map(([name, html]) => [name, new Set(matches(html, ID))]))
  const found = [...pages].flatMap(([name, html]) =>
    [...new Set(matches(html, REFERENCE))]
      .filter((target) => !/^(?:[a-z][a-z+.-]*:|\/\/)/i.test(target))
      .map((target) => ({ name, target })),
  )
  const dead = found.filter(({ name, target }) => !isAlive(name, target))
  const first = new Map(dead.toReversed().map(({ name, target }) => [target, name]))
  return { pages: pages.size, links: found.length, dead: [...first].map(([target, name]) => `${target} (in ${name})`) }

  /**
   * @param {string} from
   * @param {string} target
   */
  function isAlive(from, target) {
    const [path = '', anchor = ''] = target.split('#', 2).map(decodeURIComponent)
    const file = path === '' ? from : toFile(from, path)
    if (file === undefined || !existsSync(join(outDir, file))) return false
    return anchor === '' || anchors.get(file)?.has(anchor) === true
  }

  /**
   * @param {string} from
   * @param {string} path
   */
  function toFile(from, path) {
    if (path.startsWith('/') && !path.startsWith(base)) return undefined
    const file = path.startsWith('/') ? path.slice(base.length) : posix.join(posix.dirname(from), path)
    return file === '' || file.endsWith('/') ? `${file}index.html` : file
  }
}

/**
 * @param {string} html
 * @param {RegExp} pattern
 * @returns {string[]}
 */
function matches(html, pattern) {
  return [...html.matchAll(pattern)].map(([, value = '']) => value.replaceAll('&amp;', '&'))
}
