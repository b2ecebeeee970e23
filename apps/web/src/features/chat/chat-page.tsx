import { Suspense, lazy, useCallback, useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { headKey, outlineKey, type OpenSession, type SessionPhase } from '../../model/open-session.ts'
import { useModel, useSnapshot } from '../../ui/model-context.tsx'
import { Announcer } from './announcer.tsx'
import { ChatHeader } from './chat-header.tsx'
import { Composer } from './composer.tsx'
import { ModePick } from './mode-pick.tsx'
import { NoSession, isMissing } from './no-session.tsx'
import { SessionModel } from './session-model.tsx'
import { QueueStrip } from './queue-strip.tsx'
import { Transcript, targetOf } from './transcript.tsx'
import { useCommands } from './use-commands.ts'
import { OpenPanel, usePanel } from '../panel/use-panel.ts'
import './chat-page.css'

const loadApprovals = () => import('../approvals/approval-dock.tsx')
const ApprovalDock = lazy(async () => ({ default: (await loadApprovals()).ApprovalDock }))

const SessionPanel = lazy(async () => ({ default: (await import('../panel/session-panel.tsx')).SessionPanel }))

export function ChatPage({ id }: { readonly id: string }) {
  const { t } = useTranslation()
  const model = useModel()
  const session = useMemo(() => model.session(id), [model, id])
  const head = useSnapshot(headKey(id), () => session.head)
  const { phase, detail, isRunning, rows } = head
  const stop = useCallback(() => void model.stop(id), [model, id])
  useEscape(isRunning, stop)
  const { commands, problem, said } = useCommands(session)
  const outline = useSnapshot(outlineKey(id), () => session.outline)
  const panel = usePanel(outline)
  const isReached = useTarget(session, phase)

  if (isMissing(head)) return <NoSession session={session} head={head} />
  const isOwner = detail === undefined || detail.viewer_role === 'owner'
  return (
    <div className="chat-with-panel">
      <main className="chat" data-phase={phase}>
        <ChatHeader session={session} head={head} panel={panel} />
        {phase === 'loading' || !isReached ? (
          <Skeleton />
        ) : (
          <OpenPanel value={panel.open}>
            <Transcript key={id} session={session} rows={rows} agentName={detail?.solution?.name ?? t('agent')} />
          </OpenPanel>
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
                onChange={(input, text) => void model.changeQueued(id, input, text)}
              />
              {said === undefined ? null : (
                <p className="command-said" role="status">
                  {said}
                </p>
              )}
              {problem === undefined ? null : (
                <p className="row-problem" role="alert">
                  {problem}
                </p>
              )}
              <Composer
                sessionId={id}
                isRunning={isRunning}
                onSend={(message) => model.send(id, message)}
                onStop={stop}
                commands={commands}
                focusAtStart
              >
                {head.record === undefined || model.isEmbedded ? null : (
                  <>
                    <ModePick sessionId={id} preset={head.record.preset} />
                    {detail === undefined ? null : <SessionModel detail={detail} />}
                  </>
                )}
              </Composer>
            </>
          ) : (
            <p className="shared-note quiet">{t('sharedBy', { user: detail.user_id })}</p>
          )}
        </div>
        <Announcer head={head} />
      </main>
      {panel.isOpen ? (
        <Suspense>
          <SessionPanel session={session} outline={outline} onClose={panel.toggle} />
        </Suspense>
      ) : null}
    </div>
  )
}

/** Whether the row that the address names is loaded, or there is none. */
function useTarget(session: OpenSession, phase: SessionPhase): boolean {
  const [isReached, setReached] = useState(() => targetOf() === '')
  useEffect(() => {
    if (isReached || phase !== 'ready') return
    const reach = (): void => setReached(true)
    session.pages.reach(targetOf()).then(reach, reach)
  }, [session, phase, isReached])
  return isReached
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
