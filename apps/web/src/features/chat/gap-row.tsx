import { useEffect } from 'react'
import type { RowPages } from '../../model/row-pages.ts'

/** Rows that only pass by are not asked for. */
const PASSING_MS = 60

/** A row that is not loaded. Its page is asked for when it stays in view. */
export function GapRow({ pages, row }: { readonly pages: RowPages; readonly row: number }) {
  useEffect(() => {
    const timer = setTimeout(() => pages.want(row), PASSING_MS)
    return () => clearTimeout(timer)
  }, [pages, row])
  return (
    <div className="row row-skeleton" aria-hidden>
      <i />
      <i />
    </div>
  )
}
