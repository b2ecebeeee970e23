import type { TurnProjection } from '@polylogue/blade/client'
import { memo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { rowKey } from '../../model/open-session.ts'
import type { TurnSource } from '../../model/turn-source.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { formatCount, formatDuration } from '../../ui/format.ts'
import { useSnapshot } from '../../ui/model-context.tsx'
import { AgentBlocks, textOfBlocks } from './agent-blocks.tsx'
import { Attachments } from './attachments.tsx'
import { CompactionMark } from './compaction-mark.tsx'
import { SystemNote } from './system-note.tsx'
import './turn-row.css'

const LONG_TEXT = 1_500
const LONG_LINES = 16

interface TurnRowProps {
  readonly session: TurnSource
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
        <Said text={textOfBlocks(turn.blocks)} />
        <Attachments attachments={turn.attachments ?? []} />
      </div>
    </article>
  )
}

/** A long message is folded, so that the answer is in view. */
function Said({ text }: { readonly text: string }) {
  const { t } = useTranslation()
  const [isOpen, setOpen] = useState(false)
  const isLong = text.length > LONG_TEXT || text.split('\n').length > LONG_LINES
  return (
    <>
      <div className={`said${isLong && !isOpen ? ' is-folded' : ''}`}>{text}</div>
      {isLong ? (
        <button type="button" className="fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? t('showLess') : t('showAll')}
        </button>
      ) : null}
    </>
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
