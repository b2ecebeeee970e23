// Which pages of the repository the site has, and where each of them is on it.
import { posix } from 'node:path'

/** Folders and files of the repository without pages for the site, as globs. */
export const EXCLUDED = [
  '**/{node_modules,dist,fixtures,assets}/**',
  'tests/**',
  'examples/own-agent/agents/**',
  'site/README.md',
  'AGENTS.md',
]

/** @type {Record<string, string>} */
const MOVED = {
  'README.md': 'readme.md',
  'README.zh.md': 'zh/readme.md',
  'CHANGELOG.md': 'changelog.md',
  'CONTRIBUTING.md': 'contributing.md',
  'BENCHMARKS.md': 'benchmarks.md',
  'RELIABILITY.md': 'reliability-results.md',
  'docs/README.md': 'contents.md',
  'docs/zh/README.md': 'zh/contents.md',
}

/**
 * The path of a page on the site, from its path in the repository.
 * @param {string} path
 * @returns {string}
 */
export function toSitePath(path) {
  const moved = MOVED[path]
  if (moved !== undefined) return moved
  const below = path.replace(/^(?:docs|site)\//, '')
  if (below === path) return `code/${path.replace(/\/README\.md$/, '.md')}`
  return below.replace(/(?:^|\/)README\.md$/, '/index.md')
}

/**
 * Where a link of a page leads: to a page of the site, elsewhere on the web, or to a file of the repository only.
 * @typedef {{ readonly kind: 'page', readonly href: string } | { readonly kind: 'web' } | { readonly kind: 'file', readonly path: string }} LinkTarget
 */

/**
 * @param {string} from the path of the page in the repository
 * @param {string} target what its link says
 * @param {(path: string) => boolean} isPage whether the site has a page of that path in the repository
 * @returns {LinkTarget}
 */
export function resolveLink(from, target, isPage) {
  if (/^(?:[a-z][a-z+.-]*:|#)/i.test(target)) return { kind: 'web' }
  const [file = '', anchor] = target.split('#', 2)
  const path = posix.join(posix.dirname(from), decodeURI(file))
  if (!isPage(path)) return { kind: 'file', path }
  return { kind: 'page', href: `/${toSitePath(path)}${anchor === undefined ? '' : `#${anchor}`}` }
}

/**
 * GitHub's names of headings, so that a link works there and on the site: lower case, no punctuation, dashes for spaces.
 * @param {string} title
 * @returns {string}
 */
export function toAnchor(title) {
  return title
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-')
}
