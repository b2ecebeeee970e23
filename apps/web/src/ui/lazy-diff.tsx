import { Suspense, lazy } from 'react'

const Diff = lazy(async () => ({ default: (await import('./diff.tsx')).Diff }))

interface LazyDiffProps {
  readonly path: string
  readonly oldText: string
  readonly newText: string
  readonly line?: number | undefined
}

export function LazyDiff(props: LazyDiffProps) {
  return (
    <Suspense fallback={<p className="quiet">{props.path}</p>}>
      <Diff {...props} />
    </Suspense>
  )
}
