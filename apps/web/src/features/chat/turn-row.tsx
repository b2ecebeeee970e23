import type { TurnProjection } from '@polylogue/client/blade'
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import { rowKey } from '../../model/open-session.ts'
import type { TurnSource } from '../../model/turn-source.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { formatCount, formatDuration } from '../../ui/format.ts'
import { useSnapshot } from '../../ui/model-context.tsx'
import { AgentBlocks, textOfBlocks } from './agent-blocks.tsx'
import { AskAgain } from './ask-again.tsx'
import { CompactionMark } from './compaction-mark.tsx'
import { Speaker } from './speaker.tsx'
import { SystemNote } from './system-note.tsx'
import { UserRow } from './user-row.tsx'
import './turn-row.css'

interface TurnRowProps {
  readonly session: TurnSource
  readonly turnId: string
  /** The row above is of the same speaker, so the name is not repeated. */
  readonly isContinued: boolean
  readonly agentName: string
  /** The row ends an answer, which can be asked for again. */
  readonly isLast?: boolean
  /** The address names this row. */
  readonly isTarget?: boolean
}

export const TurnRow = memo(function TurnRow(props: TurnRowProps) {
  const { session, turnId, isContinued, agentName, isLast = false, isTarget = false } = props
  const turn = useSnapshot(rowKey(session.id, turnId), () => session.fold.turn(turnId))
  if (turn === undefined) return <div className="row-gap" />
  if (turn.kind === 'compaction') return <CompactionMark turn={turn} />
  if (turn.role === 'user') return <UserRow session={session} turn={turn} isTarget={isTarget} />
  if (turn.role === 'system') return <SystemNote turn={turn} />
  return (
    <article
      className={`row agent-row${isContinued ? ' is-continued' : ''}${turn.status === 'streaming' ? ' is-live' : ''}`}
      aria-busy={turn.status === 'streaming'}
      data-turn={turn.turn_id}
      data-status={turn.status}
      data-target={isTarget || undefined}
    >
      <Speaker name={agentName} isHidden={isContinued} />
      <div className="row-body">
        <AgentBlocks session={session} turn={turn} />
        <RowFoot session={session} turn={turn} isLast={isLast} />
      </div>
    </article>
  )
})

interface RowFootProps {
  readonly session: TurnSource
  readonly turn: TurnProjection
  readonly isLast: boolean
}

/** What the step cost, and why it ended if it did not end well. */
function RowFoot({ session, turn, isLast }: RowFootProps) {
  const { t, i18n } = useTranslation()
  const text = textOfBlocks(turn.blocks)
  if (turn.status === 'streaming') return null
  return (
    <>
      {turn.status === 'failed' ? (
        <p className="row-problem" role="note">
          {t('stepFailed')} {turn.failure_reason ?? ''}
          {isLast ? <AskAgain session={session} turn={turn} hasWords /> : null}
        </p>
      ) : null}
      {turn.status === 'interrupted' ? <p className="row-end quiet">{turn.failure_reason ?? t('stopped')}</p> : null}
      {text === '' || !isLast ? null : (
        <p className="row-foot">
          <CopyButton text={text} label={t('copyMessage')} />
          {turn.status !== 'failed' ? <AskAgain session={session} turn={turn} /> : null}
          {turn.model === null ? null : <span>{turn.model}</span>}
          {turn.duration_ms > 0 ? <span>{formatDuration(turn.duration_ms, i18n.language)}</span> : null}
          {turn.usage === null ? null : (
            <span>
              {formatCount(turn.usage.input_tokens, i18n.language)} →{' '}
              {formatCount(turn.usage.output_tokens, i18n.language)}
            </span>
          )}
        </p>
      )}
    </>
  )
}
