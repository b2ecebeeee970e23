import { Columns3 } from 'lucide-react'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Virtuoso, type VirtuosoHandle } from 'react-virtuoso'
import { Link, useLocation } from 'wouter'
import { pastKey, type PastSession } from '../../model/past-session.ts'
import { PastSteps } from '../../model/past-steps.ts'
import { headKey } from '../../model/open-session.ts'
import { rowOfGap } from '../../model/row-pages.ts'
import { useModel, useSnapshot } from '../../ui/model-context.tsx'
import { NoSession, isMissing } from '../chat/no-session.tsx'
import { GapRow } from '../chat/gap-row.tsx'
import { Spent } from '../chat/spent.tsx'
import { TurnRow } from '../chat/turn-row.tsx'
import { PanelToggle } from '../panel/panel-toggle.tsx'
import { SessionPanel } from '../panel/session-panel.tsx'
import { usePanel } from '../panel/use-panel.ts'
import { Scrubber } from './scrubber.tsx'
import { usePlace } from './use-place.ts'
import './doors.css'

/** The chat as it was after an event. It offers no change; Esc is live again. */
export function PastPage({ id, seq: addressed }: { readonly id: string; readonly seq: number }) {
  const { t } = useTranslation()
  const model = useModel()
  const [, navigate] = useLocation()
  const session = useMemo(() => model.session(id), [model, id])
  const head = useSnapshot(headKey(id), () => session.head)
  const { detail } = head
  const [past, setPast] = useState<PastSession>()
  const [problem, setProblem] = useState<string>()
  const rows = useSnapshot(pastKey(id), () => past?.pages.rows ?? NONE)
  const panel = usePanel(past?.outline)
  const [seq, step] = usePlace(addressed, (next) => navigate(`/s/${id}?at=${next}`, { replace: true }))
  const steps = useRef<PastSteps>(null)
  useEffect(() => {
    const made = new PastSteps({
      id,
      notifier: model.notifier,
      api: () => model.api(),
      shown: (found) => {
        setPast(found)
        setProblem(undefined)
      },
      failed: (error) => setProblem(error instanceof Error ? error.message : String(error)),
    })
    steps.current = made
    return () => made.close()
  }, [model, id])
  useEffect(() => steps.current?.want(seq), [id, seq])
  // The list stays, so that a step leaves no empty view and draws only what differs.
  const list = useRef<VirtuosoHandle>(null)
  const isPlacing = useRef(true)
  // A microtask: the list has its new height then, and nothing is painted yet.
  const toEnd = (): void => queueMicrotask(() => list.current?.scrollTo({ top: Number.MAX_SAFE_INTEGER }))
  useLayoutEffect(() => {
    isPlacing.current = true
    toEnd()
  }, [past?.seq])
  const last = Math.max(past?.last ?? 0, seq)
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') navigate(`/s/${id}`)
      if (event.key === '[') step(Math.max(1, seq - 1))
      if (event.key === ']') step(Math.min(last, seq + 1))
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [navigate, step, id, seq, last])
  if (isMissing(head)) return <NoSession session={session} head={head} />
  return (
    <div className="chat-with-panel">
      <main className="chat past" data-at={past?.seq}>
        <header className="chat-header">
          <h1 className="truncate">{detail?.intent.split('\n', 1)[0] ?? ''}</h1>
          <span className="grow" />
          <Spent spent={past?.head?.spent} />
          <PanelToggle panel={panel} />
          {detail?.viewer_role === 'owner' ? (
            <Link href={`/s/${id}/doors?seq=${seq}`} className="button">
              <Columns3 size={14} aria-hidden /> {t('doorsTitle')}
            </Link>
          ) : null}
        </header>
        <div
          className="transcript"
          role="log"
          aria-live="off"
          onWheel={() => (isPlacing.current = false)}
          onTouchMove={() => (isPlacing.current = false)}
          onKeyDown={() => (isPlacing.current = false)}
          onPointerDown={() => (isPlacing.current = false)}
        >
          {problem === undefined ? null : (
            <p className="row-problem" role="alert">
              {problem}
            </p>
          )}
          {past === undefined ? null : (
            <Virtuoso
              ref={list}
              data={rows}
              computeItemKey={(_, item) => item}
              // Without it the first row, which is not loaded, would be drawn for its height.
              defaultItemHeight={ROW_PX}
              initialTopMostItemIndex={{ index: 'LAST', align: 'end' }}
              // Rows are measured after they are drawn.
              totalListHeightChanged={() => isPlacing.current && toEnd()}
              itemContent={(index, item) =>
                rowOfGap(item) === undefined ? (
                  <TurnRow
                    session={past}
                    turnId={item}
                    isContinued={past.fold.turn(rows[index - 1] ?? '')?.role === 'assistant'}
                    agentName={detail?.solution?.name ?? t('agent')}
                  />
                ) : (
                  <GapRow pages={past.pages} row={index} />
                )
              }
            />
          )}
        </div>
        <div className="dock">
          <div className="past-bar">
            <p>
              {t('pastTitle', { seq, last })}
              <Link href={`/s/${id}`} className="button">
                {t('live')} <kbd>esc</kbd>
              </Link>
            </p>
            <Scrubber
              seq={seq}
              last={last}
              onChange={(next) => (next >= last ? navigate(`/s/${id}`, { replace: true }) : step(next))}
            />
          </div>
        </div>
      </main>
      {past !== undefined && panel.isOpen ? (
        <SessionPanel session={past} outline={past.outline} onClose={panel.toggle} />
      ) : null}
    </div>
  )
}

const NONE: readonly string[] = []
/** A guess, until rows are measured. */
const ROW_PX = 300
