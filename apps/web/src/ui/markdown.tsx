/**
 * Markdown of a model, which is not to be trusted: raw HTML stays text, images are loaded by our own server and only
 * after consent, links are http(s) and mailto only and show where they lead before they open.
 */
import remend from 'remend'
import { Fragment, Suspense, lazy, memo, useMemo, type ComponentProps, type ReactNode } from 'react'
import remarkCjkFriendly from 'remark-cjk-friendly'
import { Block, defaultRehypePlugins, defaultRemarkPlugins, parseMarkdownIntoBlocks } from 'streamdown'
import { CodeBlock, ParsedCode } from './code-block.tsx'
import { cutBlock } from './cut-block.ts'
import { OutsideLink } from './outside-link.tsx'
import { spellBidi } from './spell-bidi.ts'

interface MarkdownProps {
  readonly text: string
  readonly isStreaming: boolean
}

/** The same elements while the text grows and when it has ended, so nothing is drawn anew at the end. */
export const Markdown = memo(function Markdown({ text, isStreaming }: MarkdownProps) {
  const blocks = useMemo(() => parseMarkdownIntoBlocks(spellBidi(text)), [text])
  return (
    <div className="markdown" data-streaming={isStreaming}>
      {blocks.map((block, index) => (
        <OneBlock key={index} text={block} isOpen={isStreaming && index === blocks.length - 1} />
      ))}
    </div>
  )
})

interface OneBlockProps {
  readonly text: string
  /** More of it may come. */
  readonly isOpen: boolean
}

const OneBlock = memo(function OneBlock({ text, isOpen }: OneBlockProps) {
  const cut = cutBlock(text)
  switch (cut.type) {
    case 'whole':
      return <Parsed text={text} isOpen={isOpen} part="whole" />
    case 'fence':
      return <CodeBlock text={cut.text} language={cut.language} />
    case 'paragraph':
      return <p>{parsePieces(cut.pieces, { isOpen, part: () => 'inner' })}</p>
    case 'list': {
      const items = parsePieces(cut.pieces, { isOpen, part: () => 'inner' })
      return cut.start === undefined ? <ul>{items}</ul> : <ol start={cut.start}>{items}</ol>
    }
    case 'table':
      return <Table>{parsePieces(cut.pieces, { isOpen, part: (index) => (index === 0 ? 'inner' : 'rows') })}</Table>
  }
})

interface PiecesOptions {
  readonly isOpen: boolean
  readonly part: (index: number) => Part
}

const parsePieces = (pieces: readonly string[], { isOpen, part }: PiecesOptions): ReactNode =>
  pieces.map((piece, index) => (
    <Fragment key={index}>
      <Parsed text={piece} isOpen={isOpen && index === pieces.length - 1} part={part(index)} />
      {/\s$/.test(piece) ? ' ' : ''}
    </Fragment>
  ))

/** What is drawn of a parsed text: all, what is inside its one element, or that without the head of a table. */
type Part = 'whole' | 'inner' | 'rows'

interface ParsedProps extends OneBlockProps {
  readonly part: Part
}

const Parsed = memo(function Parsed({ text, isOpen, part }: ParsedProps) {
  return (
    <Block
      content={isOpen ? remend(text) : text}
      index={0}
      isIncomplete={isOpen}
      shouldParseIncompleteMarkdown={false}
      shouldNormalizeHtmlIndentation={false}
      components={COMPONENTS}
      remarkPlugins={REMARK}
      rehypePlugins={REHYPE[part]}
    />
  )
})

interface Node {
  readonly type: string
  readonly tagName?: string
  readonly value?: string
  children?: Node[]
}

/** Raw HTML becomes the text that it is. */
function rawToText() {
  return (tree: Node): void => turn(tree)
}

function turn(node: Node): void {
  node.children?.forEach((child, index, children) => {
    if (child.type === 'raw') children[index] = { type: 'text', value: child.value ?? '' }
    else turn(child)
  })
}

function unwrapElement() {
  return (tree: Node): void => void (tree.children = insideOf(tree))
}

function unwrapRows() {
  return (tree: Node): void => void (tree.children = insideOf(tree).filter(({ tagName }) => tagName !== 'thead'))
}

/** Line breaks between items and rows are no content. */
function insideOf(tree: Node): Node[] {
  const [element] = tree.children?.filter(({ type }) => type === 'element') ?? []
  const inside = element?.children ?? []
  return element?.tagName === 'p' ? inside : inside.filter(({ type }) => type === 'element')
}

const { sanitize } = defaultRehypePlugins
const SAFE = [rawToText, ...(sanitize === undefined ? [] : [sanitize])]
// The parser tells lists of plugins apart by their names.
const REHYPE = { whole: SAFE, inner: [...SAFE, unwrapElement], rows: [...SAFE, unwrapRows] }
const REMARK = [remarkCjkFriendly, ...Object.values(defaultRemarkPlugins)]

const ForeignImage = lazy(async () => ({ default: (await import('./foreign-image.tsx')).ForeignImage }))

/** Few texts have one. */
function Image({ src, alt }: ComponentProps<'img'>) {
  return (
    <Suspense fallback={alt}>
      <ForeignImage src={src} alt={alt} />
    </Suspense>
  )
}

function Table({ children }: { readonly children?: ReactNode }) {
  return (
    <div className="table-frame" tabIndex={0}>
      <table>{children}</table>
    </div>
  )
}

const COMPONENTS = {
  a: OutsideLink,
  img: Image,
  pre: ParsedCode,
  table: Table,
  h1: 'h3',
  h2: 'h3',
  h3: 'h4',
  h4: 'h4',
  h5: 'h4',
  h6: 'h4',
} as const
