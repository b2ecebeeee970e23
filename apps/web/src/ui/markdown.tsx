/**
 * Markdown of a model, which is not to be trusted: raw HTML stays text, images are loaded by our own server and only
 * after consent, links are http(s) and mailto
 * only and show where they lead before they open.
 */
import { Suspense, lazy, memo, type ComponentProps, type ReactNode } from 'react'
import remarkCjkFriendly from 'remark-cjk-friendly'
import { Streamdown, defaultRehypePlugins, defaultRemarkPlugins } from 'streamdown'
import { CodeBlock } from './code-block.tsx'
import { OutsideLink } from './outside-link.tsx'
import { spellBidi } from './spell-bidi.ts'

interface MarkdownProps {
  readonly text: string
  readonly isStreaming: boolean
}

export const Markdown = memo(function Markdown({ text, isStreaming }: MarkdownProps) {
  return (
    <Streamdown
      className="markdown"
      mode={isStreaming ? 'streaming' : 'static'}
      controls={false}
      components={COMPONENTS}
      rehypePlugins={REHYPE}
      remarkPlugins={REMARK}
      linkSafety={{ enabled: false }}
      data-streaming={isStreaming}
    >
      {spellBidi(text)}
    </Streamdown>
  )
})

interface Node {
  readonly type: string
  readonly value?: string
  readonly children?: Node[]
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

const { sanitize } = defaultRehypePlugins
const REHYPE = [rawToText, ...(sanitize === undefined ? [] : [sanitize])]
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

function Fence({ children }: { readonly children?: ReactNode }) {
  return <CodeBlock>{children}</CodeBlock>
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
  pre: Fence,
  table: Table,
  code: 'code',
  blockquote: 'blockquote',
  h1: 'h3',
  h2: 'h3',
  h3: 'h4',
  h4: 'h4',
  h5: 'h4',
  h6: 'h4',
  hr: 'hr',
  li: 'li',
  ol: 'ol',
  p: 'p',
  strong: 'strong',
  sub: 'sub',
  sup: 'sup',
  tbody: 'tbody',
  td: 'td',
  th: 'th',
  thead: 'thead',
  tr: 'tr',
  ul: 'ul',
} as const
