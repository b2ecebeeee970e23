import type { WaitingCall } from '@polylogue/client/console'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { serverSentence } from '../../i18n/server-sentence.ts'
import { LIST_KEY, type ListedSession } from '../../model/session-list.ts'
import { formatAge } from '../../ui/format.ts'
import { useModel, useSnapshot } from '../../ui/model-context.tsx'
import { spellBidi } from '../../ui/spell-bidi.ts'
import { StatusDot } from '../../ui/status-dot.tsx'
import './inbox.css'

/** Everything that waits for the user, in all sessions. */
export function InboxPage() {
  const { t } = useTranslation()
  const { list } = useModel()
  const sessions = useSnapshot(LIST_KEY, () => list.sessions).filter(({ status }) => status === 'waiting_for_input')
  return (
    <main className="page">
      <div className="page-inner">
        <h1>{t('inbox')}</h1>
        <p className="quiet">{t('inboxHint')}</p>
        {list.isLoaded && sessions.length === 0 ? <p className="empty">{t('inboxEmpty')}</p> : null}
        <ul className="inbox">
          {sessions.map((session) => (
            <InboxItem key={session.id} session={session} />
          ))}
        </ul>
      </div>
    </main>
  )
}

function InboxItem({ session }: { readonly session: ListedSession }) {
  const { t, i18n } = useTranslation()
  const model = useModel()
  const [calls, setCalls] = useState<readonly WaitingCall[]>([])
  useEffect(() => {
    let isCurrent = true
    const read = async (): Promise<void> => {
      const api = await model.api()
      const answer = await api.readWaiting({ id: session.id })
      if (isCurrent) setCalls(answer.calls)
    }
    read().catch(() => undefined)
    return () => void (isCurrent = false)
  }, [model, session.id, session.updated_at])
  return (
    <li>
      <Link href={`/s/${session.id}`} className="inbox-item">
        <StatusDot status={session.status} />
        <span className="inbox-text">
          <b>{session.intent === '' ? t('untitled') : spellBidi(session.intent.split('\n', 1)[0] ?? '')}</b>
          {calls.map(({ toolCallId, sentence, title }) => (
            <span key={toolCallId} className="inbox-call">
              {spellBidi(serverSentence(sentence))} {title === undefined ? null : <code>{spellBidi(title)}</code>}
            </span>
          ))}
        </span>
        <time dateTime={session.updated_at} className="session-age">
          {formatAge(session.updated_at, i18n.language)}
        </time>
      </Link>
    </li>
  )
}
