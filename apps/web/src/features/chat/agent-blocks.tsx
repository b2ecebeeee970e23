import type { ContentBlock, TurnProjection } from '@polylogue/client/blade'
import { PanelRight } from 'lucide-react'
import { useContext } from 'react'
import { useTranslation } from 'react-i18next'
import { isApprovalOf } from '../../model/call-facts.ts'
import { cardOf } from '../../model/card.ts'
import { rowKey } from '../../model/open-session.ts'
import type { TurnSource } from '../../model/turn-source.ts'
import { CardFrame } from '../../ui/card-frame.tsx'
import { LazyMarkdown } from '../../ui/lazy-markdown.tsx'
import { useSnapshot } from '../../ui/model-context.tsx'
import { spellBidi } from '../../ui/spell-bidi.ts'
import { OpenPanel } from '../panel/use-panel.ts'
import { Thinking } from './thinking.tsx'
import { ToolCall } from './tool-call.tsx'
import './sub-agent.css'

/** What one step said and did, in order. */
export function AgentBlocks({ session, turn }: { readonly session: TurnSource; readonly turn: TurnProjection }) {
  const { t } = useTranslation()
  const openPanel = useContext(OpenPanel)
  const isStreaming = turn.status === 'streaming'
  const lastBlock = turn.blocks.length - 1
  return turn.blocks.map((block, index) => {
    const isLast = isStreaming && index === lastBlock
    const key = `${index}`
    switch (block.type) {
      case 'text':
        return <LazyMarkdown key={key} text={asText(block)} isStreaming={isLast} />
      case 'thinking':
        return <Thinking key={key} text={asText(block)} isStreaming={isLast} />
      case 'tool_use': {
        const call = turn.tool_calls.find(({ id }) => id === block.tool_call_id)
        if (call === undefined || isApprovalOf(call) !== undefined) return null
        const approval = turn.tool_calls.find((other) => isApprovalOf(other) === call.id)
        return (
          <ToolCall
            key={call.id}
            session={session}
            call={call}
            approval={approval}
            subAgent={(turns) => <SubAgent session={session} turns={turns} />}
          />
        )
      }
      case 'tool_ui': {
        const card = cardOf(block)
        if (card === undefined) return null
        return card.target === 'inline' || !session.mayChange ? (
          <CardFrame key={key} sessionId={session.id} card={card} />
        ) : (
          <button key={key} type="button" className="button card-beside" onClick={openPanel}>
            <PanelRight size={14} aria-hidden /> {t('cardBeside', { title: spellBidi(card.title ?? t('card')) })}
          </button>
        )
      }
      default:
        return null
    }
  })
}

/** The steps of a sub-agent, below the call that started it. */
function SubAgent({ session, turns }: { readonly session: TurnSource; readonly turns: readonly string[] }) {
  const { t } = useTranslation()
  return (
    <div className="sub-agent" role="group" aria-label={t('subAgents')}>
      {turns.map((turnId) => (
        <SubAgentStep key={turnId} session={session} turnId={turnId} />
      ))}
    </div>
  )
}

function SubAgentStep({ session, turnId }: { readonly session: TurnSource; readonly turnId: string }) {
  const turn = useSnapshot(rowKey(session.id, turnId), () => session.fold.turn(turnId))
  if (turn === undefined || turn.role !== 'assistant') return null
  return (
    <div className={`sub-step${turn.status === 'streaming' ? ' is-live' : ''}`}>
      <AgentBlocks session={session} turn={turn} />
    </div>
  )
}

const asText = ({ content }: ContentBlock): string => (typeof content === 'string' ? content : '')

export const textOfBlocks = (blocks: readonly ContentBlock[]): string =>
  blocks
    .filter(({ type }) => type === 'text')
    .map(asText)
    .join('\n\n')
