import { useTranslation } from 'react-i18next'
import { resultText, type CallFacts } from '../../model/call-facts.ts'
import { stepsOf } from '../../model/plan.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { spellBidi } from '../../ui/spell-bidi.ts'
import { CallInput } from './call-input.tsx'
import { PlanSteps } from './plan-steps.tsx'
import type { ToolCallProps } from './tool-call.tsx'

/** How Blade tells the answer to an approval. */
const VERDICTS: { readonly [answer: string]: 'allowedOnce' | 'allowedHere' | 'allowedProject' | 'denied' } = {
  'Allow once': 'allowedOnce',
  'Always allow in this session': 'allowedHere',
  'Always allow in this project': 'allowedProject',
  Reject: 'denied',
}
const DENIED = 'Reject: '

interface CallBodyProps extends ToolCallProps {
  readonly facts: CallFacts
  readonly turns: readonly string[]
}

export function CallBody({ session, call, facts, approval, turns, subAgent }: CallBodyProps) {
  const { t } = useTranslation()
  const output = resultText(call.result)
  const verdict = resultText(approval?.result)
  const wordsOf = (answer: string): string => {
    const known = VERDICTS[answer]
    if (known !== undefined) return t(known)
    return answer.startsWith(DENIED) ? t('deniedBecause', { reason: answer.slice(DENIED.length) }) : answer
  }
  return (
    <div className="call-body">
      {facts.kind === 'plan' ? (
        <PlanSteps steps={stepsOf(facts.input)} />
      ) : (
        <CallInput session={session} call={call.id} facts={facts} />
      )}
      {verdict === '' ? null : <p className="call-verdict quiet">{spellBidi(wordsOf(verdict))}</p>}
      {turns.length > 0 ? subAgent(turns) : null}
      {facts.kind === 'plan' || (call.result === null && call.status !== 'done') ? null : (
        <figure className="call-output">
          <figcaption>
            {t('output')} <CopyButton text={output} />
          </figcaption>
          <pre tabIndex={0}>{output === '' ? t('noOutput') : spellBidi(output)}</pre>
        </figure>
      )}
    </div>
  )
}
