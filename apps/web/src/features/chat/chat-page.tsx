import { Suspense, lazy, useCallback, useEffect, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { SERVER_KEY } from '../../model/console-model.ts'
import { headKey } from '../../model/open-session.ts'
import { useModel, useSnapshot } from '../../ui/model-context.tsx'
import { Announcer } from './announcer.tsx'
import { ChatHeader } from './chat-header.tsx'
import { Composer } from './composer.tsx'
import { ModePick } from './mode-pick.tsx'
import { QueueStrip } from './queue-strip.tsx'
import { Transcript } from './transcript.tsx'
import './chat-page.css'

const loadApprovals = () => import('../approvals/approval-dock.tsx')
const ApprovalDock = lazy(async () => ({ default: (await loadApprovals()).ApprovalDock }))

export function ChatPage({ id }: { readonly id: string }) {
  const { t } = useTranslation()
  const model = useModel()
  const session = useMemo(() => model.session(id), [model, id])
  const head = useSnapshot(headKey(id), () => session.head)
  const server = useSnapshot(SERVER_KEY, () => model.server)
  const { phase, detail, isRunning, rows } = head
  const stop = useCallback(() => void model.stop(id), [model, id])
  useEscape(isRunning, stop)

  if (phase === 'gone' || phase === 'failed') {
    return (
      <main className="page">
        <div className="page-inner">
          <h1>{phase === 'gone' ? t('sessionGone') : t('loadFailed')}</h1>
          <p className="quiet">{phase === 'gone' ? t('sessionGoneHint') : head.problem}</p>
          {phase === 'failed' ? (
            <p className="actions">
              <button type="button" className="button" onClick={() => void session.load()}>
                {t('retry')}
              </button>
            </p>
          ) : null}
        </div>
      </main>
    )
  }
  const isOwner = detail === undefined || detail.viewer_role === 'owner'
  return (
    <main className="chat" data-phase={phase}>
      <ChatHeader session={session} head={head} />
      {phase === 'loading' ? (
        <Skeleton />
      ) : (
        <Transcript key={id} session={session} rows={rows} agentName={detail?.solution?.name ?? t('agent')} />
      )}
      <div className="dock">
        {isOwner ? (
          <>
            <Suspense>
              <ApprovalDock session={session} waiting={head.waiting} />
            </Suspense>
            <QueueStrip
              queued={head.queue}
              onDrop={(input) => void model.dropQueued(id, input)}
              onEdit={(input) => void model.dropQueued(id, input, { returns: true })}
            />
            <Composer
              sessionId={id}
              isRunning={isRunning}
              onSend={(message) => model.send(id, message)}
              onStop={stop}
              focusAtStart
            >
              {server === undefined || detail === undefined ? null : <ModePick sessionId={id} />}
            </Composer>
          </>
        ) : (
          <p className="shared-note quiet">{t('sharedBy', { user: detail.user_id })}</p>
        )}
      </div>
      <Announcer head={head} />
    </main>
  )
}

/** Esc stops, unless something on top of the chat takes it. */
function useEscape(isRunning: boolean, stop: () => void): void {
  useEffect(() => {
    if (!isRunning) return
    const listen = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return
      if (document.querySelector('dialog[open], [role="menu"]') !== null) return
      stop()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [isRunning, stop])
}

function Skeleton() {
  return (
    <div className="transcript skeleton" aria-hidden>
      <i />
      <i />
      <i />
    </div>
  )
}
