import type { TurnProjection } from '@polylogue/blade/client'
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import { rowKey, type OpenSession } from '../../model/open-session.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { formatCount, formatDuration } from '../../ui/format.ts'
import { useSnapshot } from '../../ui/model-context.tsx'
import { AgentBlocks, textOfBlocks } from './agent-blocks.tsx'
import { Attachments } from './attachments.tsx'
import { CompactionMark } from './compaction-mark.tsx'
import { SystemNote } from './system-note.tsx'
import './turn-row.css'

interface TurnRowProps {
  readonly session: OpenSession
  readonly turnId: string
  /** The row above is of the same speaker, so the name is not repeated. */
  readonly isContinued: boolean
  readonly agentName: string
}

export const TurnRow = memo(function TurnRow({ session, turnId, isContinued, agentName }: TurnRowProps) {
  const turn = useSnapshot(rowKey(session.id, turnId), () => session.fold.turn(turnId))
  if (turn === undefined) return <div className="row-gap" />
  if (turn.kind === 'compaction') return <CompactionMark turn={turn} />
  if (turn.role === 'user') return <UserRow turn={turn} />
  if (turn.role === 'system') return <SystemNote turn={turn} />
  return (
    <article
      className={`row agent-row${isContinued ? ' is-continued' : ''}${turn.status === 'streaming' ? ' is-live' : ''}`}
      aria-busy={turn.status === 'streaming'}
      data-turn={turn.turn_id}
      data-status={turn.status}
    >
      <Speaker name={agentName} isHidden={isContinued} />
      <div className="row-body">
        <AgentBlocks session={session} turn={turn} />
        <RowFoot turn={turn} />
      </div>
    </article>
  )
})

export function Speaker({ name, isHidden = false }: { readonly name: string; readonly isHidden?: boolean }) {
  return <h3 className={isHidden ? 'visually-hidden' : 'speaker'}>{name}</h3>
}

function UserRow({ turn }: { readonly turn: TurnProjection }) {
  const { t } = useTranslation()
  return (
    <article className="row user-row" data-turn={turn.turn_id}>
      <Speaker name={t('you')} />
      <div className="row-body">
        <div className="said">{textOfBlocks(turn.blocks)}</div>
        <Attachments attachments={turn.attachments ?? []} />
      </div>
    </article>
  )
}

/** What the step cost, and why it ended if it did not end well. */
function RowFoot({ turn }: { readonly turn: TurnProjection }) {
  const { t, i18n } = useTranslation()
  const text = textOfBlocks(turn.blocks)
  if (turn.status === 'streaming') return null
  return (
    <>
      {turn.status === 'failed' ? (
        <p className="row-problem" role="note">
          {t('stepFailed')} {turn.failure_reason ?? ''}
        </p>
      ) : null}
      {turn.status === 'interrupted' ? <p className="row-end quiet">{turn.failure_reason ?? t('stopped')}</p> : null}
      {text === '' ? null : (
        <p className="row-foot">
          <CopyButton text={text} label={t('copyMessage')} />
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
