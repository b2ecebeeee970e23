// Markdown for VitePress: links are written for the repository, and pages have other places on the site.
import { existsSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { matchesGlob } from 'node:path/posix'
import { EXCLUDED, resolveLink } from './pages.mjs'

/**
 * As much of a token of markdown-it as this file uses.
 * @typedef {{ type: string, tag: string, content: string, attrs: [string, string][] | null, children: Token[] | null, attrGet(name: string): string | null, attrSet(name: string, value: string): void }} Token
 * @typedef {{ tokens: Token[], env: { path: string, realPath?: string } }} State
 * @typedef {{ core: { ruler: { push(name: string, rule: (state: State) => void): void } } }} Markdown
 */

/**
 * A markdown-it plugin. A link to a file that is not on the site becomes the name of the file: with `repository`, the
 * address of a repository's files, it becomes a link to it.
 * @param {Markdown} markdown
 * @param {{ readonly root: string, readonly repository?: string }} options
 */
export function useRepositoryLinks(markdown, { root, repository }) {
  const isPage = (/** @type {string} */ path) =>
    path.endsWith('.md') && existsSync(join(root, path)) && !EXCLUDED.some((glob) => matchesGlob(path, glob))
  markdown.core.ruler.push('repository-links', ({ tokens, env }) => {
    const from = relative(root, env.realPath ?? env.path)
      .split(sep)
      .join('/')
    for (const token of tokens) {
      if (token.type === 'html_block') token.content = withRelativeSources(token.content)
      const closing = []
      for (const child of token.children ?? []) {
        if (child.type === 'link_open') {
          const target = resolveLink(from, child.attrGet('href') ?? '', isPage)
          if (target.kind === 'page') child.attrSet('href', target.href)
          if (target.kind === 'file') showFile(child, target.path, repository)
          closing.push(child.tag)
        }
        if (child.type === 'link_close') child.tag = closing.pop() ?? child.tag
      }
    }
  })
}

/**
 * @param {Token} link
 * @param {string} path
 * @param {string | undefined} repository
 */
function showFile(link, path, repository) {
  if (repository !== undefined) return link.attrSet('href', `${repository.replace(/\/$/, '')}/${path}`)
  link.type = 'file_open'
  link.tag = 'span'
  link.attrs = [
    ['class', 'repository-file'],
    ['title', path],
  ]
}

/**
 * Vite takes a source in HTML for a file only if it begins with a dot.
 * @param {string} html
 */
function withRelativeSources(html) {
  return html.replaceAll(/\b(src|srcset)="(?![a-z]+:|[./])/g, '$1="./')
}
