import { Fragment, isValidElement, memo, useEffect, useMemo, useState, type ReactNode } from 'react'
import { findLanguage } from '../highlight/language-names.ts'
import type { Piece } from '../highlight/highlight.ts'
import { CopyButton } from './copy-button.tsx'
import './code-block.css'

interface CodeBlockProps {
  readonly text: string
  /** As the fence names it, or nothing. */
  readonly language: string
}

/** A fence: its language, a button to copy it, and the code as it was written. */
export function CodeBlock({ text, language }: CodeBlockProps) {
  return (
    <div className="code-block">
      <div className="code-head">
        <span>{language}</span>
        <CopyButton text={text} />
      </div>
      <pre tabIndex={0}>
        <Coloured text={text} language={language} />
      </pre>
    </div>
  )
}

interface Colours {
  readonly text: string
  readonly lines: readonly (readonly Piece[])[]
}

/** Code that still grows is coloured when it pauses. */
const PAUSE_MS = 120
/** Lines that are drawn at once, so that long code neither grows nor is coloured in one long task. */
const PART_LINES = 100

/** The code, and its colours as soon as they are there, one part a frame. What came after them is shown as it is. */
function Coloured({ text, language }: CodeBlockProps) {
  const colours = useColours(text, language)
  const parts = useMemo(() => partsOf(text), [text])
  const count = useCountUp(parts.length, colours)
  return (
    <code data-coloured={colours !== undefined || undefined}>
      {parts.map((part, index) => (
        <CodePart key={index} text={part} index={index} colours={index < count ? colours : undefined} />
      ))}
    </code>
  )
}

function useColours(text: string, language: string): Colours | undefined {
  const [colours, setColours] = useState<Colours>()
  useEffect(() => {
    if (findLanguage(language) === undefined) return
    let isCurrent = true
    const timer = setTimeout(() => {
      void import('../highlight/highlight.ts')
        .then(({ highlight }) => highlight(text, language))
        .then((lines) => {
          if (isCurrent && lines !== undefined) setColours({ text, lines })
        })
    }, PAUSE_MS)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [text, language])
  return colours !== undefined && text.startsWith(colours.text) ? colours : undefined
}

/** From 1 to `end`, one more each frame, from the moment that there are colours. */
function useCountUp(end: number, colours: Colours | undefined): number {
  const [count, setCount] = useState(1)
  useEffect(() => {
    if (colours === undefined || count >= end) return
    const frame = requestAnimationFrame(() => setCount(count + 1))
    return () => cancelAnimationFrame(frame)
  }, [count, end, colours])
  return count
}

/** Each part but the last ends with its line break. */
function partsOf(text: string): readonly string[] {
  const lines = text.split('\n')
  const count = Math.ceil(lines.length / PART_LINES)
  return Array.from({ length: count }, (_, index) => {
    const part = lines.slice(index * PART_LINES, (index + 1) * PART_LINES).join('\n')
    return index === count - 1 ? part : `${part}\n`
  })
}

interface CodePartProps {
  readonly text: string
  readonly index: number
  readonly colours: Colours | undefined
}

const CodePart = memo(function CodePart({ text, index, colours }: CodePartProps) {
  const lines = colours?.lines.slice(index * PART_LINES, (index + 1) * PART_LINES) ?? []
  const coloured = lines.map((line) => line.map(([part]) => part).join('')).join('\n')
  if (!text.startsWith(coloured)) return <span className="code-part">{text}</span>
  return (
    <span className="code-part">
      {lines.map((line, row) => (
        <Fragment key={row}>
          {row === 0 ? '' : '\n'}
          {line.map(([part, kind], place) =>
            kind === '' ? (
              part
            ) : (
              <span key={place} className={`code-${kind}`}>
                {part}
              </span>
            ),
          )}
        </Fragment>
      ))}
      {text.slice(coloured.length)}
    </span>
  )
})

interface CodeProps {
  readonly className?: string
  readonly children?: ReactNode
}

/** Code as the parser gives it: one `code` element. */
export function ParsedCode({ children }: { readonly children?: ReactNode }) {
  const code = isValidElement<CodeProps>(children) ? children.props : undefined
  const text = textOf(code === undefined ? children : code.children).replace(/\n$/, '')
  return <CodeBlock text={text} language={/language-([\w+#.-]+)/.exec(code?.className ?? '')?.[1] ?? ''} />
}

function textOf(node: ReactNode): string {
  if (typeof node === 'string') return node
  if (Array.isArray(node)) return node.map((child: ReactNode) => textOf(child)).join('')
  return isValidElement<CodeProps>(node) ? textOf(node.props.children) : ''
}
