import { Columns3 } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Virtuoso } from 'react-virtuoso'
import { Link, useLocation } from 'wouter'
import { doorsKey, type PastSession } from '../../model/doors-log.ts'
import { headKey } from '../../model/open-session.ts'
import { useModel, useSnapshot } from '../../ui/model-context.tsx'
import { TurnRow } from '../chat/turn-row.tsx'
import { Scrubber } from './scrubber.tsx'
import './doors.css'

/** The chat as it was after an event. It offers no change; Esc is live again. */
export function PastPage({ id, seq }: { readonly id: string; readonly seq: number }) {
  const { t } = useTranslation()
  const model = useModel()
  const [, navigate] = useLocation()
  const log = useMemo(() => model.doors(id), [model, id])
  const session = useMemo(() => model.session(id), [model, id])
  const { detail } = useSnapshot(headKey(id), () => session.head)
  const { rows } = useSnapshot(doorsKey(id), () => log.snapshot)
  const [past, setPast] = useState<PastSession>()
  useEffect(() => {
    let isCurrent = true
    void log.at(seq).then((found) => isCurrent && setPast(found))
    return () => void (isCurrent = false)
  }, [log, seq])
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') navigate(`/s/${id}`)
      if (event.key === '[') navigate(`/s/${id}?at=${Math.max(1, seq - 1)}`, { replace: true })
      if (event.key === ']') navigate(`/s/${id}?at=${Math.min(rows.length, seq + 1)}`, { replace: true })
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [navigate, id, seq, rows.length])
  const last = Math.max(rows.length, seq)
  return (
    <main className="chat past" data-at={past === undefined ? undefined : seq}>
      <header className="chat-header">
        <h1 className="truncate">{detail?.intent.split('\n', 1)[0] ?? ''}</h1>
        <span className="grow" />
        <Link href={`/s/${id}/doors?seq=${seq}`} className="button">
          <Columns3 size={14} aria-hidden /> {t('doorsTitle')}
        </Link>
      </header>
      <div className="transcript" role="log" aria-live="off">
        {past === undefined ? null : (
          <Virtuoso
            key={seq}
            data={past.rows}
            initialTopMostItemIndex={{ index: 'LAST', align: 'end' }}
            itemContent={(index, turnId) => (
              <TurnRow
                session={past}
                turnId={turnId}
                isContinued={past.fold.turn(past.rows[index - 1] ?? '')?.role === 'assistant'}
                agentName={detail?.solution?.name ?? t('agent')}
              />
            )}
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
            onChange={(next) => navigate(next >= last ? `/s/${id}` : `/s/${id}?at=${next}`, { replace: true })}
          />
        </div>
      </div>
    </main>
  )
}
