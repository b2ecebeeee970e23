import { isValidElement, type ReactNode } from 'react'
import { CopyButton } from './copy-button.tsx'

interface CodeProps {
  readonly className?: string
  readonly children?: ReactNode
}

/** A fence: its language, a button to copy it, and the code as it was written. */
export function CodeBlock({ children }: { readonly children?: ReactNode }) {
  const code = isValidElement<CodeProps>(children) ? children.props : undefined
  const text = textOf(code === undefined ? children : code.children)
  const language = /language-([\w+#.-]+)/.exec(code?.className ?? '')?.[1] ?? ''
  return (
    <div className="code-block">
      <div className="code-head">
        <span>{language}</span>
        <CopyButton text={text} />
      </div>
      <pre tabIndex={0}>
        <code>{text.replace(/\n$/, '')}</code>
      </pre>
    </div>
  )
}

function textOf(node: ReactNode): string {
  if (typeof node === 'string') return node
  if (Array.isArray(node)) return node.map((child: ReactNode) => textOf(child)).join('')
  return isValidElement<CodeProps>(node) ? textOf(node.props.children) : ''
}
