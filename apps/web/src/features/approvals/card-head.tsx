import type { WaitingCall } from '@polylogue/client/console'
import { useTranslation } from 'react-i18next'
import { serverSentence } from '../../i18n/server-sentence.ts'
import { spellOutLine } from '../../model/console-contract.ts'

interface CardHeadProps {
  readonly call: WaitingCall
  readonly children: React.ReactNode
}

/** Who wants what, and why somebody must answer. */
export function CardHead({ call, children }: CardHeadProps) {
  const { t } = useTranslation()
  const { name, subAgent, sentence, waitsFor } = call
  return (
    <header className="card-head">
      <span className="card-mark" aria-hidden>
        !
      </span>
      <div className="card-title">
        <h2>
          {waitsFor === 'answer' ? (
            spellOutLine(serverSentence(sentence))
          ) : (
            <span translate="no">{spellOutLine(name)}</span>
          )}
          {subAgent === undefined ? null : (
            <span className="quiet"> {t('ofSubAgent', { name: spellOutLine(subAgent.description) })}</span>
          )}
        </h2>
        {waitsFor === 'answer' ? null : <p className="quiet">{spellOutLine(serverSentence(sentence))}</p>}
      </div>
      {children}
    </header>
  )
}
