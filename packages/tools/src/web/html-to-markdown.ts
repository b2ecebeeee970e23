// Turns a page into text for a model: headings, lists, links, code, table rows. The parser gets the page in slices and
// builds no tree, so a hostile page costs a bounded time per slice, and other work runs between slices. (Tree builders
// need minutes for a megabyte of open tags.)
import { Parser } from 'htmlparser2'
import { setImmediate } from 'node:timers/promises'
import { createMarkdownWriter } from './markdown-writer.ts'

export interface HtmlReading {
  /** May be slightly longer than `maxChars`. */
  readonly markdown: string
  readonly title: string
  /** Tags are nested too deeply, so the rest was left out. */
  readonly isTooDeep: boolean
}

export interface HtmlOptions {
  /** The base of relative links. */
  readonly url: URL
  /** It stops soon after this many characters of text. */
  readonly maxChars: number
  readonly signal: AbortSignal
}

/** Small, because the parser searches its stack of open tags at every closing tag. A slice limits the depth. */
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
  // The rest in the parser is text. Closing open tags would only take time.
  if (at >= html.length && !isTooDeep) parser.end()
  return { markdown: writer.markdown(), title: writer.title(), isTooDeep }
}
