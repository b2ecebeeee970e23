// A page as text that a model reads well: headings, lists, links, code, rows of tables. The parser is fed in slices and
// keeps no tree, so that a page made to be slow or deep costs a bounded time per slice, and gives way between them.
// (A tree costs more than its page: a megabyte of open tags takes the usual tree builders minutes.)
import { Parser } from 'htmlparser2'
import { setImmediate } from 'node:timers/promises'
import { createMarkdownWriter } from './markdown-writer.ts'

export interface HtmlReading {
  /** Longer than `maxChars` where the page is. */
  readonly markdown: string
  readonly title: string
  /** Tags are nested so deep that the rest was left out. */
  readonly isTooDeep: boolean
}

export interface HtmlOptions {
  /** Where relative links begin. */
  readonly url: URL
  /** It stops soon after so many characters of text. */
  readonly maxChars: number
  readonly signal: AbortSignal
}

/** Small, because the parser searches its stack of open tags at every closing one: a slice bounds how deep it grows. */
const SLICE = 8 * 1024
const SLICES_AT_ONCE = 4
const DEEPEST = 1000

export async function htmlToMarkdown(html: string, { url, maxChars, signal }: HtmlOptions): Promise<HtmlReading> {
  const writer = createMarkdownWriter(url)
  let depth = 0
  const parser = new Parser({
    onopentag(name, attributes) {
      depth += 1
      writer.open(name, attributes)
    },
    ontext: (text) => writer.text(text),
    onclosetag(name) {
      depth -= 1
      writer.close(name)
    },
  })
  let at = 0
  for (let slices = 1; at < html.length && writer.length() <= maxChars && depth <= DEEPEST; slices += 1) {
    parser.write(html.slice(at, at + SLICE))
    at += SLICE
    if (slices % SLICES_AT_ONCE === 0) {
      await setImmediate()
      signal.throwIfAborted()
    }
  }
  const isTooDeep = depth > DEEPEST
  // What is left in the parser is text; closing what is open would only cost time.
  if (at >= html.length && !isTooDeep) parser.end()
  return { markdown: writer.markdown(), title: writer.title(), isTooDeep }
}
