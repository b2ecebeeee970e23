/** Takes the tags of a page in order and keeps the visible text. */
export interface MarkdownWriter {
  open(name: string, attributes: Readonly<Record<string, string>>): void
  text(text: string): void
  close(name: string): void
  length(): number
  markdown(): string
  title(): string
}

const UNREAD = new Set(
  'script style noscript template svg iframe object embed canvas audio video select button textarea nav'.split(' '),
)
const PARAGRAPHS = new Set('p h1 h2 h3 h4 h5 h6 ul ol dl table blockquote pre article section figure hr'.split(' '))
const LINES = new Set('div li tr br dt dd main header footer aside form figcaption caption summary details'.split(' '))
const MARKS = new Map([
  ['b', '**'],
  ['strong', '**'],
  ['em', '*'],
  ['i', '*'],
  ['code', '`'],
])
/** Deeper than any real page. Tags beyond it leave no mark. */
const MOST_WAITING = 1000
const LONGEST_LINK = 1000
const LONGEST_TITLE = 300

interface Opening {
  readonly mark: string
  readonly depth: number
  state: 'waiting' | 'written' | 'dropped'
}

export function createMarkdownWriter(url: URL): MarkdownWriter {
  const pieces: string[] = []
  let length = 0
  let title = ''
  let depth = 0
  /** The depth of the tag that hides its content. 0: none. */
  let hiddenAt = 0
  let isInTitle = false
  /** Line breaks that are due before the next text: 0, 1 or 2. */
  let breaks = 0
  let isSpaceDue = false
  let isFirstCell = true
  /** Open marks that wait for text. Without text, they are not written. */
  let waiting: Opening[] = []
  const lists: { isOrdered: boolean; count: number }[] = []
  const links: { readonly end: string; readonly opening: Opening }[] = []
  const marks: { readonly name: string; readonly opening: Opening }[] = []
  let pre: Opening | undefined

  const put = (text: string): void => {
    pieces.push(text)
    length += text.length
  }
  const breakLine = (count: 1 | 2): void => {
    isSpaceDue = false
    breaks = Math.max(breaks, count)
  }
  /** Writes the pending breaks and marks before text. */
  const flush = (): void => {
    if (breaks > 0 && length > 0) put('\n'.repeat(breaks))
    else if (isSpaceDue && length > 0) put(' ')
    breaks = 0
    isSpaceDue = false
    for (const opening of waiting) {
      if (opening.state === 'dropped') continue
      put(opening.mark)
      opening.state = 'written'
    }
    waiting = []
  }
  const wait = (mark: string): Opening => {
    const opening: Opening = { mark, depth, state: 'waiting' }
    if (waiting.length < MOST_WAITING) waiting.push(opening)
    return opening
  }
  const end = (opening: Opening, mark: string): void => {
    if (opening.state === 'written') put(mark)
    else opening.state = 'dropped'
  }
  /** Drops the marks that were opened inside the closing tag. */
  const dropWaiting = (): void => {
    while ((waiting.at(-1)?.depth ?? -1) >= depth) waiting.pop()
  }

  const openList = (isOrdered: boolean): void => void lists.push({ isOrdered, count: 0 })
  const openItem = (): void => {
    const list = lists.at(-1)
    if (list) list.count += 1
    const indent = '  '.repeat(Math.min(Math.max(lists.length - 1, 0), 8))
    wait(`${indent}${list?.isOrdered ? `${list.count}.` : '-'} `)
  }
  const openLink = (href: string | undefined): void => {
    const target = href === undefined || href.startsWith('#') ? null : URL.parse(href.slice(0, 4096), url.href)
    const isShown = target !== null && /^https?:$/.test(target.protocol) && target.href.length <= LONGEST_LINK
    links.push({ opening: wait(isShown ? '[' : ''), end: isShown ? `](${target.href})` : '' })
  }
  const closeMark = (name: string, mark: string): void => {
    const at = marks.findLastIndex((item) => item.name === name)
    const [item] = at < 0 ? [] : marks.splice(at, 1)
    if (item) end(item.opening, mark)
  }

  const openVisible = (name: string, attributes: Readonly<Record<string, string>>): void => {
    if (PARAGRAPHS.has(name)) breakLine(lists.length > 0 && (name === 'ul' || name === 'ol') ? 1 : 2)
    else if (LINES.has(name)) breakLine(1)
    const mark = pre ? undefined : MARKS.get(name)
    if (mark !== undefined) marks.push({ name, opening: wait(mark) })
    else if (/^h[1-6]$/.test(name)) wait(`${'#'.repeat(Number(name[1]))} `)
    else if (name === 'ul' || name === 'ol') openList(name === 'ol')
    else if (name === 'li') openItem()
    else if (name === 'a') openLink(attributes['href'])
    else if (name === 'tr') isFirstCell = true
    else if (name === 'td' || name === 'th') {
      if (!isFirstCell) wait(' | ')
      isFirstCell = false
    } else if (name === 'blockquote') wait('> ')
    else if (name === 'pre') pre ??= wait('```\n')
    else if (name === 'hr') {
      flush()
      put('---')
      breakLine(2)
    } else if (name === 'img' && attributes['alt']?.trim()) writeText(`[image: ${attributes['alt'].slice(0, 500)}]`)
  }
  const closeVisible = (name: string): void => {
    const mark = pre ? undefined : MARKS.get(name)
    if (mark !== undefined) closeMark(name, mark)
    else if (name === 'a') {
      const link = links.pop()
      if (link) end(link.opening, link.end)
    } else if (name === 'ul' || name === 'ol') lists.pop()
    else if (pre && pre.depth === depth) {
      end(pre, '\n```')
      pre = undefined
    }
    if (!PARAGRAPHS.has(name) && !LINES.has(name)) return
    dropWaiting()
    breakLine(LINES.has(name) || lists.length > 0 ? 1 : 2)
  }
  const writeText = (text: string): void => {
    if (pre) {
      if (text === '') return
      flush()
      put(text)
      return
    }
    const words = text.replace(/\s+/g, ' ')
    if (words.startsWith(' ')) isSpaceDue ||= breaks === 0
    const trimmed = words.trim()
    if (trimmed === '') return
    flush()
    put(trimmed)
    isSpaceDue = words.endsWith(' ')
  }

  return {
    open(name, attributes) {
      depth += 1
      if (hiddenAt > 0) return
      if (UNREAD.has(name) || isHidden(attributes)) hiddenAt = depth
      else if (name === 'title') isInTitle = true
      else openVisible(name, attributes)
    },
    text(text) {
      if (hiddenAt > 0) return
      if (isInTitle) title = `${title}${text}`.slice(0, LONGEST_TITLE)
      else writeText(text)
    },
    close(name) {
      if (hiddenAt === 0) {
        if (name === 'title') isInTitle = false
        else closeVisible(name)
      }
      if (hiddenAt === depth) hiddenAt = 0
      depth -= 1
    },
    length: () => length,
    markdown: () => pieces.join(''),
    title: () => title.replace(/\s+/g, ' ').trim(),
  }
}

/** Text that is hidden from people is hidden from the model too. */
function isHidden(attributes: Readonly<Record<string, string>>): boolean {
  if (attributes['hidden'] !== undefined) return true
  const style = attributes['style']
  return style !== undefined && /(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style.slice(0, 1000))
}
