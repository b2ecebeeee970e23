import type { Hit } from '@polylogue/client/console'
import { useEffect, useState } from 'react'
import { LIST_KEY } from '../../model/session-list.ts'
import { useModel, useSnapshot } from '../../ui/model-context.tsx'

const PAUSE_MS = 150
const PAGE = 50
const STATUSES = ['idle', 'running', 'waiting'] as const

export interface Asked {
  readonly q: string
  readonly status: string
  readonly agent: string
  readonly via: string
}

export interface Found {
  readonly hits: readonly Hit[] | undefined
  readonly total: number | undefined
  readonly problem: string | undefined
  readonly hasMore: boolean
  more(): void
}

interface Page {
  readonly hits: readonly Hit[]
  readonly total?: number | undefined
  readonly next?: number | undefined
}

/** Searches again when the question or the list changes. */
export function useFound({ q, status, agent, via }: Asked): Found {
  const model = useModel()
  const sessions = useSnapshot(LIST_KEY, () => model.list.sessions)
  const [page, setPage] = useState<Page>()
  const [limit, setLimit] = useState(PAGE)
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    let isCurrent = true
    const known = STATUSES.find((name) => name === status)
    const search = async (): Promise<void> => {
      try {
        const api = await model.api()
        const found = await api.findSessions({
          query: {
            limit,
            ...(q !== '' && { q }),
            ...(known !== undefined && { status: known }),
            ...(agent !== '' && { agent }),
            ...(via !== '' && { via }),
          },
        })
        if (!isCurrent) return
        setPage(found)
        setProblem(undefined)
      } catch (error) {
        if (isCurrent) setProblem(error instanceof Error ? error.message : String(error))
      }
    }
    const timer = setTimeout(() => void search(), PAUSE_MS)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [model, q, status, agent, via, limit, sessions])
  return {
    hits: page?.hits,
    total: page?.total,
    problem,
    hasMore: page?.next !== undefined && limit < 2 * PAGE,
    more: () => setLimit(2 * PAGE),
  }
}
