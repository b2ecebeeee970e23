// Blocks that are marked `run` in our pages: commands, programs and pieces of a configuration.
import type { FencedBlock } from './markdown.ts'
import { type RepositoryPage, readRepositoryPages } from './repository-pages.ts'

/** These pages have tests of their own, which run their blocks and look at more than whether they succeed. */
const TRIED_ELSEWHERE = new Map([
  ['docs/tour.md', 'tests/docs/tour.test.ts'],
  ['docs/doors/blade.md', 'tests/docs/blade-door.test.ts'],
  ['CONTRIBUTING.md', 'tests/docs/tool-recipe.test.ts'],
])

export interface RunnablePage {
  readonly path: string
  /** In one shell, one after the other, each with the output that the page shows below it. */
  readonly commands: readonly { readonly line: number; readonly script: string; readonly shown?: string }[]
  readonly configs: readonly { readonly line: number; readonly text: string }[]
}

/** Every page with such a block. Throws for a block that nobody knows how to run. */
export function findRunnablePages(): readonly RunnablePage[] {
  return readRepositoryPages()
    .filter(({ path, blocks }) => !TRIED_ELSEWHERE.has(path) && blocks.some(isMarked))
    .map(toRunnable)
}

export function pagesTriedElsewhere(): readonly (readonly [page: string, test: string])[] {
  return [...TRIED_ELSEWHERE]
}

/** `sh run`, `js run`, `ts config run`: the mark is a word of its own, behind the language. */
export const isMarked = ({ words }: FencedBlock): boolean => words.slice(1).includes('run')

function toRunnable({ path, blocks }: RepositoryPage): RunnablePage {
  const marked = blocks.filter(isMarked)
  const isConfig = ({ words }: FencedBlock): boolean => words[0] === 'ts'
  return {
    path,
    commands: marked
      .filter((block) => !isConfig(block))
      .map((block) => {
        const next = blocks[blocks.indexOf(block) + 1]
        const shown = next?.words[1] === 'output' ? { shown: next.text } : {}
        return { line: block.line, script: toScript(block, path), ...shown }
      }),
    configs: marked.filter(isConfig).map((block) => ({ line: block.line, text: toConfig(block, path) })),
  }
}

function toScript({ words, text, line }: FencedBlock, path: string): string {
  if (words[0] === 'sh') return text
  if (words[0] !== 'js') throw new Error(`${path}, line ${line}: nothing runs a block of ${words.join(' ')}`)
  return `node --input-type=module --eval "$(cat <<'END_OF_BLOCK'\n${text.replaceAll("'http://127.0.0.1:8020", "process.env.ORIGIN + '")}\nEND_OF_BLOCK\n)"`
}

/** A whole configuration, or a piece of one: its settings, or one agent. */
function toConfig({ words, text, line }: FencedBlock, path: string): string {
  const imports = "import { defineAgent, defineConfig } from 'polylogue'\n"
  if (words.includes('agent')) return `${imports}export default defineConfig({ agents: [${text}] })`
  if (!words.includes('config')) throw new Error(`${path}, line ${line}: nothing runs a block of ${words.join(' ')}`)
  if (!text.includes('export default')) return `${imports}export default defineConfig({ ${text} })`
  return text.startsWith('import') ? text : `${imports}${text}`
}
