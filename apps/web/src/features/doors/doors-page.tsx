import type { DoorsRow } from '@polylogue/client/console'
import { MessageSquare } from 'lucide-react'
import { Fragment, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Virtuoso, type VirtuosoHandle } from 'react-virtuoso'
import { Link, Redirect, useSearchParams } from 'wouter'
import { doorsKey, isLight, type DoorsLog } from '../../model/doors-log.ts'
import { headKey } from '../../model/open-session.ts'
import { DoorTag, doorName, protocolOf } from '../../ui/door-tag.tsx'
import { useModel, useSnapshot } from '../../ui/model-context.tsx'
import { NoSession, isMissing } from '../chat/no-session.tsx'
import { ClientStrip } from './client-strip.tsx'
import { EventDetail } from './event-detail.tsx'
import { Scrubber } from './scrubber.tsx'
import { usePlace } from './use-place.ts'
import './doors.css'

/** Who has left is gone within two seconds. */
const CLIENTS_MS = 1_000

/** The log of a session, and beside each event what every door sends its clients for it. */
export function DoorsPage({ id }: { readonly id: string }) {
  const { t } = useTranslation()
  const model = useModel()
  const session = useMemo(() => model.session(id), [model, id])
  const log = useMemo(() => model.doors(id), [model, id])
  const { doors, rows, clients, problem } = useSnapshot(doorsKey(id), () => log.snapshot)
  const head = useSnapshot(headKey(id), () => session.head)
  const list = useRef<VirtuosoHandle>(null)
  const [params, setParams] = useSearchParams()
  const asked = Number(params.get('seq'))
  const [isLive, setLive] = useState(asked === 0)
  const [place, step] = usePlace(asked, (next) => setParams({ seq: `${next}` }, { replace: true }))
  const seq = isLive ? rows.length : Math.min(Math.max(1, place), Math.max(1, rows.length))

  useEffect(() => {
    if (!isLive) list.current?.scrollIntoView({ index: seq - 1 })
  }, [isLive, seq])
  useEffect(() => {
    log.open()
    return () => log.close()
  }, [log])
  useEffect(() => {
    const read = (): void => void log.readClients().catch(() => undefined)
    read()
    const timer = setInterval(read, CLIENTS_MS)
    return () => clearInterval(timer)
  }, [log])

  const choose = (next: number): void => {
    setLive(next >= rows.length)
    step(next)
  }
  if (isMissing(head)) return <NoSession session={session} head={head} />
  // A guest reads the chat, and not the log.
  if (head.detail !== undefined && head.detail.viewer_role !== 'owner') return <Redirect to={`/s/${id}`} replace />
  const chosen = rows[seq - 1]
  const title = head.detail?.intent.split('\n', 1)[0] ?? ''
  return (
    <main className="doors">
      <header className="chat-header">
        <h1 className="truncate">
          {t('doorsTitle')} <span className="quiet">{title}</span>
        </h1>
        <span className="grow" />
        <Link href={isLive ? `/s/${id}` : `/s/${id}?at=${seq}`} className="button">
          <MessageSquare size={14} aria-hidden /> {t('toChat')}
        </Link>
      </header>
      <ClientStrip clients={clients} />
      <Scrubber seq={seq} last={rows.length} onChange={choose} />
      {problem === undefined ? null : (
        <p className="row-problem" role="alert">
          {problem}
        </p>
      )}
      <div className="doors-body">
        <div
          className="doors-grid"
          role="group"
          aria-label={t('doorsTitle')}
          style={{ '--doors': doors.map(widthOf).join(' ') || '1fr' }}
        >
          <div className="doors-row doors-head">
            <span>{t('seq')}</span>
            <span>{t('event')}</span>
            {doors.map((door) => (
              <span key={door}>
                <DoorTag door={door} />
              </span>
            ))}
          </div>
          {rows.length === 0 ? null : (
            <Virtuoso
              ref={list}
              className="doors-rows"
              data={rows}
              followOutput={isLive ? 'auto' : false}
              initialTopMostItemIndex={Math.max(0, seq - 1)}
              itemContent={(_, row) => (
                <DoorsLine row={row} doors={doors} isChosen={row.seq === seq} onChoose={() => choose(row.seq)} />
              )}
            />
          )}
        </div>
        {chosen === undefined ? null : (
          <ChosenEvent key={chosen.seq} log={log} sessionId={id} row={chosen} doors={doors} />
        )}
      </div>
    </main>
  )
}

interface ChosenEventProps {
  readonly log: DoorsLog
  readonly sessionId: string
  readonly row: DoorsRow
  readonly doors: readonly string[]
}

/** Of a row far back in a long log, only the names are at hand. */
function ChosenEvent({ log, row, ...more }: ChosenEventProps) {
  const [whole, setWhole] = useState<DoorsRow>()
  useEffect(() => {
    if (isLight(row)) void log.readRow(row).then(setWhole, () => undefined)
  }, [log, row])
  return <EventDetail {...more} row={whole ?? row} />
}

interface DoorsLineProps {
  readonly row: DoorsRow
  readonly doors: readonly string[]
  readonly isChosen: boolean
  readonly onChoose: () => void
}

function DoorsLine({ row, doors, isChosen, onChoose }: DoorsLineProps) {
  return (
    <div className="doors-row" translate="no" data-chosen={isChosen} data-seq={row.seq} onClick={onChoose}>
      <span className="doors-seq">
        <button type="button" aria-pressed={isChosen} aria-label={`${row.seq} ${row.event.type}`} onClick={onChoose}>
          {row.seq}
        </button>
      </span>
      <span className="doors-event">{row.event.type}</span>
      {doors.map((door) => (
        <span key={door} className={`doors-cell ${protocolOf(door)}`} data-name={doorName(door)}>
          {(row.shown[door] ?? []).length === 0 ? <i>–</i> : toNames(row, door)}
        </span>
      ))}
    </div>
  )
}

/** Names of the messages, with a count where one comes several times in a row. */
function toNames({ shown }: DoorsRow, door: string) {
  const names: { readonly name: string; count: number }[] = []
  for (const { name } of shown[door] ?? []) {
    const last = names.at(-1)
    if (last?.name === name) last.count++
    else names.push({ name, count: 1 })
  }
  return names.map(({ name, count }, index) => (
    <code key={`${index}${name}`} title={name}>
      {toBreakable(name)}
      {count === 1 ? null : ` ×${count}`}
    </code>
  ))
}

/** The names of AAP are short. */
const widthOf = (door: string): string => (protocolOf(door) === 'aap' ? 'minmax(84px, 0.7fr)' : 'minmax(100px, 1.4fr)')

/** Long names break between their parts. */
const toBreakable = (name: string) =>
  name.split(/(?<=[/:])/).map((part, index) => (
    <Fragment key={index}>
      {index === 0 ? null : <wbr />}
      {part}
    </Fragment>
  ))
