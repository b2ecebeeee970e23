import { Suspense, lazy } from 'react'
import './markdown.css'

const load = () => import('./markdown.tsx')
const Markdown = lazy(async () => ({ default: (await load()).Markdown }))

/** Loads the renderer right after the first paint. Until it is there, text is shown as it is. */
export const preloadMarkdown = (): void => void load()

export function LazyMarkdown({ text, isStreaming }: { readonly text: string; readonly isStreaming: boolean }) {
  return (
    <Suspense fallback={<div className="markdown plain">{text}</div>}>
      <Markdown text={text} isStreaming={isStreaming} />
    </Suspense>
  )
}
