import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Page, parsePage } from './markdown.ts'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

export interface RepositoryPage extends Page {
  /** From the root of the checkout. */
  readonly path: string
}

export function readRepositoryText(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}

export function readRepositoryPage(path: string): RepositoryPage {
  return { path, ...parsePage(readRepositoryText(path)) }
}

/** Every page of the checkout but those of packages that were installed or built. */
export function readRepositoryPages(): readonly RepositoryPage[] {
  const isOurs = (path: string) => !path.split('/').some((part) => /^(?:node_modules|dist|\.(?!ci$).*)$/.test(part))
  const paths = globSync('**/*.md', { cwd: ROOT, exclude: (path) => !isOurs(path) })
  return paths.filter(isOurs).sort().map(readRepositoryPage)
}
