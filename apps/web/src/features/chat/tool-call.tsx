import type { ToolCallProjection } from '@polylogue/client/blade'
import {
  Bot,
  ChevronRight,
  FilePen,
  FileText,
  Globe,
  ListChecks,
  MessageCircleQuestion,
  Search,
  Terminal,
  Wrench,
} from 'lucide-react'
import { Suspense, lazy, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { serverSentence } from '../../i18n/server-sentence.ts'
import { outputKey } from '../../model/call-output.ts'
import { countLines, readCall, resultText, type CallFacts, type CallKind } from '../../model/call-facts.ts'
import { headKey } from '../../model/open-session.ts'
import type { TurnSource } from '../../model/turn-source.ts'
import { formatDuration } from '../../ui/format.ts'
import { useSnapshot } from '../../ui/model-context.tsx'
import { spellBidi } from '../../ui/spell-bidi.ts'
import { RunningCall } from './running-call.tsx'
import './tool-call.css'

const ICONS = {
  command: Terminal,
  edit: FilePen,
  file: FileText,
  search: Search,
  web: Globe,
  plan: ListChecks,
  question: MessageCircleQuestion,
  agent: Bot,
  other: Wrench,
} satisfies { readonly [kind in CallKind]: unknown }

const CallBody = lazy(async () => ({ default: (await import('./call-body.tsx')).CallBody }))

export interface ToolCallProps {
  readonly session: TurnSource
  readonly call: ToolCallProjection
  /** The question whether it may run, as Blade shows it. */
  readonly approval?: ToolCallProjection | undefined
  /** Shows the turns of the call's sub-agent. */
  readonly subAgent: (turns: readonly string[]) => ReactNode
}

export function ToolCall(props: ToolCallProps) {
  const { session, call, approval } = props
  const { i18n } = useTranslation()
  const facts = readCall(call)
  const children = useSnapshot(headKey(session.id), () => session.childrenOf(call.id))
  const [chosen, setChosen] = useState<boolean>()
  const isOpen = chosen ?? (facts.kind === 'plan' || (children.length > 0 && call.status !== 'done'))
  const summary = spellBidi(facts.summary.replace(/\s+/g, ' '))
  const Icon = ICONS[children.length > 0 ? 'agent' : facts.kind]
  return (
    <section className="call" data-call={call.id} data-status={call.status}>
      <div className="call-line">
        <button type="button" className="call-head" aria-expanded={isOpen} onClick={() => setChosen(!isOpen)}>
          <ChevronRight size={14} aria-hidden className="fold-mark" />
          <Icon size={15} aria-hidden className="call-icon" />
          <span className="call-name">{serverSentence(call.display_name)}</span>
          <span className={`call-summary${facts.kind === 'command' ? ' mono' : ''}`} translate="no">
            {summary}
          </span>
          <DiffCount facts={facts} />
          <CallState
            call={call}
            mayAnswer={session.mayChange}
            isDenied={resultText(approval?.result).startsWith('Reject')}
          />
          {call.duration_ms === null ? null : (
            <span className="call-time">{formatDuration(call.duration_ms, i18n.language)}</span>
          )}
        </button>
        {call.status === 'pending' ? <RunningCall session={session} call={call.id} name={summary} /> : null}
      </div>
      {call.status === 'pending' ? <LiveOutput session={session} call={call.id} isWhole={isOpen} /> : null}
      {isOpen ? (
        <Suspense>
          <CallBody {...props} facts={facts} turns={children} />
        </Suspense>
      ) : null}
    </section>
  )
}

const LAST_LINES = 8

interface LiveOutputProps {
  readonly session: TurnSource
  readonly call: string
  readonly isWhole: boolean
}

/** What the call prints while it runs; folded, the last lines of it. */
function LiveOutput({ session, call, isWhole }: LiveOutputProps) {
  const { t } = useTranslation()
  const text = useSnapshot(outputKey(session.id, call), () => session.output?.textOf(call) ?? '')
  if (text === '') return null
  const shown = isWhole ? text : text.replace(/\n$/, '').split('\n').slice(-LAST_LINES).join('\n')
  return (
    <pre className="call-live" aria-label={t('output')} tabIndex={0}>
      {spellBidi(shown)}
    </pre>
  )
}

function DiffCount({ facts: { changes } }: { readonly facts: CallFacts }) {
  if (changes === undefined) return null
  const counts = changes.map(countLines)
  return (
    <span className="call-count">
      <b className="plus">+{counts.reduce((sum, { added }) => sum + added, 0)}</b>{' '}
      <b className="minus">−{counts.reduce((sum, { removed }) => sum + removed, 0)}</b>
    </span>
  )
}

interface CallStateProps {
  readonly call: ToolCallProjection
  /** Whether the reader is who it waits for. */
  readonly mayAnswer: boolean
  readonly isDenied: boolean
}

function CallState({ call, mayAnswer, isDenied }: CallStateProps) {
  const { t } = useTranslation()
  switch (call.status) {
    case 'pending':
      return <span className="call-state running">{t('running')}</span>
    case 'awaiting_answer':
      return <span className="call-state waits">{mayAnswer ? t('waits') : t('waitsForOwner')}</span>
    case 'error':
      return (
        <span className="call-state bad">
          {resultText(call.result).startsWith('Outcome unknown') ? t('unknownOutcome') : t('failed')}
        </span>
      )
    case 'cancelled':
      return <span className="call-state quiet">{isDenied ? t('denied') : t('cancelled')}</span>
    case 'done':
      return null
  }
}
