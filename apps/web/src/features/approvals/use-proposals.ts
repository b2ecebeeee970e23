import type { RuleProposal, WaitingCall } from '@polylogue/client/console'
import { useEffect, useState } from 'react'
import { useModel } from '../../ui/model-context.tsx'

const NONE: readonly RuleProposal[] = []

/** The rules that the server proposes for a call, the smallest first, each with what it would have changed. */
export function useProposals(sessionId: string, { toolCallId }: WaitingCall): readonly RuleProposal[] {
  const model = useModel()
  const [proposals, setProposals] = useState(NONE)
  useEffect(() => {
    // An embedded page makes no rules.
    if (model.isEmbedded) return
    let isCurrent = true
    const read = async (): Promise<void> => {
      const api = await model.api()
      const found = await api.proposeRules({ body: { session: sessionId, call: toolCallId } })
      if (isCurrent) setProposals(found.proposals)
    }
    // Without proposals the call can still be answered, once or for the session.
    read().catch(() => isCurrent && setProposals(NONE))
    return () => void (isCurrent = false)
  }, [model, sessionId, toolCallId])
  return proposals
}
