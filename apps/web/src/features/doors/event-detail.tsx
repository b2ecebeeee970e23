import type { DoorsRow } from '@polylogue/client/console'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../ui/copy-button.tsx'
import { DoorTag } from '../../ui/door-tag.tsx'
import { formatCount, formatTime } from '../../ui/format.ts'
import { spellBidi } from '../../ui/spell-bidi.ts'

interface EventDetailProps {
  readonly sessionId: string
  readonly row: DoorsRow
  readonly doors: readonly string[]
}

/** One event: as it is recorded, and as each door sends it. */
export function EventDetail({ sessionId, row, doors }: EventDetailProps) {
  const { t, i18n } = useTranslation()
  return (
    <aside className="event-detail" aria-label={`${t('event')} ${row.seq}`}>
      <h2 translate="no">
        {row.seq} · {row.event.type}
      </h2>
      <p className="quiet">{formatTime(new Date(row.at).toISOString(), i18n.language)}</p>
      <Wire title={t('recorded')} value={row.event} />
      {doors.map((door) => (
        <section key={door}>
          <h3>
            <DoorTag door={door} />
            {door === 'aap/v3' ? (
              <CopyButton text={toCurl(sessionId, row.seq)} label={t('copyCurl')} words="curl" />
            ) : null}
          </h3>
          {(row.shown[door] ?? []).length === 0 ? <p className="quiet">{t('nothingHere')}</p> : null}
          {(row.shown[door] ?? []).map(({ name, body }, index) => (
            <Wire key={`${index}${name}`} title={name} value={body} />
          ))}
        </section>
      ))}
    </aside>
  )
}

/** It runs as it is, given `KEY`. A key is never in it. */
export function toCurl(sessionId: string, seq: number): string {
  const after = seq > 1 ? `?after=${seq - 1}` : ''
  return `curl -N "${location.origin}/aap/v3/sessions/${sessionId}/events${after}" -H "Authorization: Bearer $KEY"`
}

function Wire({ title, value }: { readonly title: string; readonly value: unknown }) {
  const { t, i18n } = useTranslation()
  const [isOpen, setOpen] = useState(false)
  const wire = JSON.stringify(value)
  const bytes = new TextEncoder().encode(wire).length
  return (
    <div className="wire">
      <div className="wire-head">
        <button type="button" className="wire-fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <code>{title}</code>
          <span className="quiet">{t('bytes', { count: bytes, formatted: formatCount(bytes, i18n.language) })}</span>
        </button>
        <CopyButton text={wire} />
      </div>
      {isOpen ? <pre tabIndex={0}>{spellBidi(JSON.stringify(value, undefined, 2))}</pre> : null}
    </div>
  )
}
