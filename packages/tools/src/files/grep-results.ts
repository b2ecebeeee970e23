import type { FoundLine } from './find-lines.ts'
import { formatSize } from './format-size.ts'
import type { SearchBudget } from './search-limits.ts'

/** The matches so far, in grep's format: `path:line:text`, and `path-line-text` for the lines around a match. */
export interface GrepResults {
  add(path: string, lines: readonly FoundLine[]): void
  /** A file that is too large to be searched. */
  leaveOut(): void
  isFull(): boolean
  write(budget: SearchBudget): string
}

const MOST_CHARACTERS = 128 * 1024

export function createGrepResults({
  limit,
  context,
}: {
  readonly limit: number
  readonly context: number
}): GrepResults {
  const written: string[] = []
  let matches = 0
  let characters = 0
  let leftOut = 0
  let cutBy: string | undefined

  const addLine = (path: string, { line, text, isMatch }: FoundLine): boolean => {
    if (isMatch && matches === limit) cutBy = `${limit} matching lines`
    else if (characters > MOST_CHARACTERS) cutBy = formatSize(MOST_CHARACTERS)
    if (cutBy !== undefined) return false
    if (isMatch) matches += 1
    const mark = isMatch ? ':' : '-'
    const whole = `${path}${mark}${line}${mark}${text}`
    characters += whole.length
    written.push(whole)
    return true
  }

  return {
    add(path, lines) {
      let previous: number | undefined
      for (const found of lines) {
        const isNewGroup = context > 0 && written.length > 0 && previous !== found.line - 1
        const length = written.length
        if (isNewGroup) written.push('--')
        if (!addLine(path, found)) {
          written.length = length
          return
        }
        previous = found.line
      }
    },
    leaveOut() {
      leftOut += 1
    },
    isFull: () => cutBy !== undefined,
    write(budget) {
      const lines = matches === 0 ? ['No lines match.'] : [...written]
      const stopped = budget.over()
      if (cutBy !== undefined) lines.push(`[There is more than ${cutBy}: search for something narrower.]`)
      else if (stopped !== undefined) lines.push(`[The search was stopped ${stopped}: begin further down.]`)
      if (leftOut > 0) {
        const size = formatSize(budget.limits.fileBytes)
        lines.push(`[Not searched: ${leftOut} ${leftOut === 1 ? 'file' : 'files'} of more than ${size}.]`)
      }
      return lines.join('\n')
    },
  }
}
