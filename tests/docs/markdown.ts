// As much of Markdown as our own pages use: fenced blocks, headings, links and images.

export interface FencedBlock {
  /** The words after the fence: a language, then what the tests do with the block. */
  readonly words: readonly string[]
  readonly text: string
  /** Of the opening fence, counted from 1. */
  readonly line: number
}

export interface Page {
  readonly blocks: readonly FencedBlock[]
  /** Where `#…` can lead, as GitHub names the headings. */
  readonly anchors: ReadonlySet<string>
  /** Targets of links and images, outside code. */
  readonly targets: readonly string[]
  /** What stands between backticks, outside fenced blocks. */
  readonly codeSpans: readonly string[]
}

const FENCE = /^ {0,3}(?<marks>`{3,}|~{3,})(?<words>.*)$/
const HEADING = /^ {0,3}#{1,6}\s+(?<title>.+?)\s*#*$/
const LINKED = /\]\(\s*<?(?<target>[^)\s>]+)>?[^)]*\)|\b(?:src|href|srcset)="(?<attribute>[^"\s]+)"/g
const CODE_SPAN = /(?<!`)(?<marks>`+)(?!`)(?<code>.+?)(?<!`)\k<marks>(?!`)/gs

export function parsePage(markdown: string): Page {
  const blocks: FencedBlock[] = []
  const prose: string[] = []
  let open:
    | { readonly marks: string; readonly words: string[]; readonly line: number; readonly lines: string[] }
    | undefined
  for (const [index, line] of markdown.split('\n').entries()) {
    const fence = FENCE.exec(line)?.groups
    if (open) {
      if (fence?.['words']?.trim() === '' && fence['marks']?.startsWith(open.marks)) {
        blocks.push({ words: open.words, text: open.lines.join('\n'), line: open.line })
        open = undefined
      } else open.lines.push(line)
    } else if (fence) {
      const words = (fence['words'] ?? '').trim().split(/\s+/).filter(Boolean)
      open = { marks: fence['marks'] ?? '', words, line: index + 1, lines: [] }
    } else prose.push(line)
  }
  if (open) throw new Error(`the block that begins in line ${open.line} has no end`)
  const text = prose.join('\n')
  const withoutCode = text.replaceAll(CODE_SPAN, '')
  return {
    blocks,
    anchors: anchorsOf(prose),
    targets: [...withoutCode.matchAll(LINKED)].map(({ groups }) => groups?.['target'] ?? groups?.['attribute'] ?? ''),
    codeSpans: [...text.matchAll(CODE_SPAN)].map(({ groups }) => (groups?.['code'] ?? '').trim()),
  }
}

/** GitHub's rule: lower case, no punctuation, spaces become dashes; a repeated heading gets a number. */
function anchorsOf(lines: readonly string[]): ReadonlySet<string> {
  const anchors = new Set<string>()
  for (const line of lines) {
    const title = HEADING.exec(line)?.groups?.['title']
    if (title === undefined) continue
    const anchor = title
      .replaceAll(/\[(?<text>[^\]]*)\]\([^)]*\)/g, '$<text>')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
      .replaceAll(' ', '-')
    let name = anchor
    for (let again = 1; anchors.has(name); again++) name = `${anchor}-${again}`
    anchors.add(name)
  }
  return anchors
}
