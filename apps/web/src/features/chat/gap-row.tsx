import { useEffect } from 'react'
import type { RowPages } from '../../model/row-pages.ts'

/** A row that is not loaded. Its page is asked for as soon as it is in view. */
export function GapRow({ pages, row }: { readonly pages: RowPages; readonly row: number }) {
  useEffect(() => pages.want(row), [pages, row])
  return (
    <div className="row row-skeleton" aria-hidden>
      <i />
      <i />
    </div>
  )
}
