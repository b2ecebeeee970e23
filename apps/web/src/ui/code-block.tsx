import { Fragment, isValidElement, useEffect, useState, type ReactNode } from 'react'
import { findLanguage } from '../highlight/language-names.ts'
import type { Piece } from '../highlight/highlight.ts'
import { CopyButton } from './copy-button.tsx'
import './code-block.css'

interface CodeProps {
  readonly className?: string
  readonly children?: ReactNode
}

/** A fence: its language, a button to copy it, and the code as it was written. */
export function CodeBlock({ children }: { readonly children?: ReactNode }) {
  const code = isValidElement<CodeProps>(children) ? children.props : undefined
  const text = textOf(code === undefined ? children : code.children).replace(/\n$/, '')
  const language = /language-([\w+#.-]+)/.exec(code?.className ?? '')?.[1] ?? ''
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

/** The code, and its colours as soon as they are there. What came after them is shown as it is. */
function Coloured({ text, language }: { readonly text: string; readonly language: string }) {
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
  if (colours === undefined || !text.startsWith(colours.text)) return <code>{text}</code>
  return (
    <code data-coloured>
      {colours.lines.map((line, index) => (
        <Fragment key={index}>
          {index === 0 ? '' : '\n'}
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
      {text.slice(colours.text.length)}
    </code>
  )
}

function textOf(node: ReactNode): string {
  if (typeof node === 'string') return node
  if (Array.isArray(node)) return node.map((child: ReactNode) => textOf(child)).join('')
  return isValidElement<CodeProps>(node) ? textOf(node.props.children) : ''
}
