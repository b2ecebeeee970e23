import { Square } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { TurnSource } from '../../model/turn-source.ts'
import { formatClock } from '../../ui/format.ts'
import { useModel } from '../../ui/model-context.tsx'

interface RunningCallProps {
  readonly session: TurnSource
  readonly call: string
  readonly name: string
}

/** How long the call has been running, and for whoever may change the session the button that stops it alone. */
export function RunningCall({ session, call, name }: RunningCallProps) {
  const { t } = useTranslation()
  const model = useModel()
  const stop = (): void =>
    void model.api().then((api) => api.cancelCall({ id: session.id, call, body: {} }).catch(() => undefined))
  return (
    <>
      <Clock session={session} call={call} />
      {session.mayChange ? (
        <button
          type="button"
          className="button bare icon call-stop"
          aria-label={`${t('stopCall')}: ${name}`}
          title={t('stopCall')}
          onClick={stop}
        >
          <Square size={11} fill="currentColor" aria-hidden />
        </button>
      ) : null}
    </>
  )
}

function Clock({ session: { starts }, call }: Omit<RunningCallProps, 'name'>) {
  const [startedAt, setStartedAt] = useState(() => starts?.of(call))
  useEffect(() => {
    if (startedAt !== undefined || starts === undefined) return
    let isCurrent = true
    void starts.read(call).then((at) => isCurrent && setStartedAt(at))
    return () => void (isCurrent = false)
  }, [starts, call, startedAt])
  const seconds = useSecondsSince(startedAt)
  if (seconds === undefined) return null
  return (
    <span className="call-time call-clock" role="timer">
      {formatClock(seconds)}
    </span>
  )
}

const SECOND_MS = 1000

const look = () => ({ now: Date.now(), isVisible: document.visibilityState === 'visible' })

/** Changes once a second, and not while the page is hidden. */
function useSecondsSince(startedAt: number | undefined): number | undefined {
  const [last, setLast] = useState(look)
  const elapsed = startedAt === undefined ? undefined : Math.max(0, last.now - startedAt)
  useEffect(() => {
    if (elapsed === undefined) return
    const lookAgain = (): void => setLast(look())
    document.addEventListener('visibilitychange', lookAgain)
    const timer = last.isVisible ? setTimeout(lookAgain, SECOND_MS - (elapsed % SECOND_MS)) : undefined
    return () => {
      document.removeEventListener('visibilitychange', lookAgain)
      clearTimeout(timer)
    }
  }, [elapsed, last])
  return elapsed === undefined ? undefined : Math.floor(elapsed / SECOND_MS)
}
