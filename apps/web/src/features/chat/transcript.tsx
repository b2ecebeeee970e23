import { ArrowDown } from 'lucide-react'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Virtuoso, type VirtuosoHandle } from 'react-virtuoso'
import { outboxKey } from '../../model/console-model.ts'
import { headKey, type OpenSession } from '../../model/open-session.ts'
import type { Outgoing } from '../../model/outbox.ts'
import { rowOfGap } from '../../model/row-pages.ts'
import { useModel, useSnapshot } from '../../ui/model-context.tsx'
import { GapRow } from './gap-row.tsx'
import { OutgoingRow } from './outgoing-row.tsx'
import { TurnRow } from './turn-row.tsx'
import './transcript.css'

/** Closer to the end than this, the view follows what comes. */
const FOLLOW_PX = 48
/** A scroll so soon after a touch of the wheel, the screen or a key is the reader's. */
const TOUCH_MS = 800
/** Rows are measured after they are drawn. For so long, what that moves is moved back. */
const PLACING_MS = 1_500

interface TranscriptProps {
  readonly session: OpenSession
  readonly rows: readonly string[]
  readonly agentName: string
}

type Item = string | Outgoing

export function Transcript({ session, rows, agentName }: TranscriptProps) {
  const { t } = useTranslation()
  const { outbox } = useModel()
  const all = useSnapshot(outboxKey(session.id), () => outbox.all)
  const items = useMemo(
    (): readonly Item[] => [...rows, ...all.filter(({ sessionId }) => sessionId === session.id)],
    [rows, all, session.id],
  )
  const list = useRef<VirtuosoHandle>(null)
  const [target, setTarget] = useState(targetOf)
  const [start] = useState(() => findRow(session, target))
  const scroller = useRef<HTMLElement | null>(null)
  const isFollowing = useRef(start === -1)
  const [isAtEnd, setAtEnd] = useState(start === -1)
  const placed = useRef({ index: start, until: Date.now() + PLACING_MS })

  // Another hit in the same session.
  useEffect(() => {
    const listen = (): void => {
      const next = targetOf()
      setTarget(next)
      void session.pages.reach(next).then((index) => {
        if (index === -1) return
        isFollowing.current = false
        placed.current = { index, until: Date.now() + PLACING_MS }
        list.current?.scrollToIndex({ index, align: 'start' })
      })
    }
    addEventListener('hashchange', listen)
    return () => removeEventListener('hashchange', listen)
  }, [session])

  const toEnd = useCallback(() => {
    list.current?.scrollTo({ top: Number.MAX_SAFE_INTEGER })
  }, [])

  const watch = useCallback((element: HTMLElement | Window | null) => {
    if (!(element instanceof HTMLElement) || scroller.current === element) return
    scroller.current = element
    let touchedAt = 0
    const touch = (): void => {
      touchedAt = Date.now()
      placed.current.until = 0
    }
    for (const name of ['wheel', 'touchmove', 'pointerdown', 'keydown']) {
      element.addEventListener(name, touch, { passive: true })
    }
    // A card or a longer message below makes the view smaller: the end stays in it.
    new ResizeObserver(() => {
      if (isFollowing.current) element.scrollTo({ top: element.scrollHeight })
    }).observe(element)
    element.addEventListener(
      'scroll',
      () => {
        const isNear = element.scrollHeight - element.scrollTop - element.clientHeight <= FOLLOW_PX
        // Rows that are measured anew scroll as well; only the reader leaves the end.
        if (isNear) isFollowing.current = true
        else if (Date.now() - touchedAt < TOUCH_MS) isFollowing.current = false
        setAtEnd(isNear || isFollowing.current)
      },
      { passive: true },
    )
  }, [])

  // Scrolled up, the button says whether there is anything that was not seen yet.
  const isRunning = useSnapshot(headKey(session.id), () => session.head.isRunning)
  const [hasNew, setNew] = useState(false)
  const seen = useRef(items.length)
  useEffect(() => {
    if (isAtEnd) seen.current = items.length
    setNew((had) => !isAtEnd && (had || isRunning || items.length > seen.current))
  }, [isAtEnd, isRunning, items.length])

  const sent = all.length
  useEffect(() => {
    const last = items.at(-1)
    if (typeof last !== 'object' || last.state !== 'sending') return
    isFollowing.current = true
    toEnd()
  }, [sent])

  return (
    <div className="transcript" role="log" aria-live="off" aria-label={t('sessions')}>
      <Virtuoso
        ref={list}
        scrollerRef={watch}
        data={items}
        computeItemKey={(_, item) => (typeof item === 'string' ? item : item.id)}
        itemContent={(index, item) =>
          typeof item === 'string' && rowOfGap(item) !== undefined ? (
            <GapRow pages={session.pages} row={index} />
          ) : typeof item === 'string' ? (
            <TurnRow
              session={session}
              turnId={item}
              isContinued={isAgentAt(session, items[index - 1])}
              isLast={!isAgentAt(session, items[index + 1])}
              agentName={agentName}
              isTarget={target !== '' && isRow(session, item, target)}
            />
          ) : (
            <OutgoingRow item={item} />
          )
        }
        initialTopMostItemIndex={start === -1 ? { index: 'LAST', align: 'end' } : { index: start, align: 'start' }}
        increaseViewportBy={{ top: 600, bottom: 600 }}
        atBottomThreshold={FOLLOW_PX}
        totalListHeightChanged={() => {
          if (isFollowing.current) return toEnd()
          setAtEnd(false)
          const { index, until } = placed.current
          if (index !== -1 && Date.now() < until) list.current?.scrollToIndex({ index, align: 'start' })
        }}
        components={EDGES}
      />
      {isAtEnd ? null : (
        <button
          type="button"
          className="button new-below"
          onClick={() => {
            isFollowing.current = true
            toEnd()
          }}
        >
          <ArrowDown size={14} aria-hidden /> {hasNew ? t('newBelow') : t('toEnd')}
        </button>
      )}
    </div>
  )
}

const EDGES = {
  Header: () => <div className="transcript-top" />,
  Footer: () => <div className="transcript-end" />,
}

function isAgentAt({ fold }: OpenSession, item: Item | undefined): boolean {
  const turn = typeof item === 'string' ? fold.turn(item) : undefined
  return turn?.role === 'assistant' && turn.kind === 'message'
}

/** The row that the address names, by the id of its entry or of its turn. */
export const targetOf = (): string => decodeURIComponent(location.hash.slice(1))

const isRow = ({ fold }: OpenSession, turnId: string, target: string): boolean =>
  turnId === target || fold.turn(turnId)?.id === target

const findRow = ({ pages }: OpenSession, target: string): number => (target === '' ? -1 : pages.find(target))
