import type { WaitingCall } from '@polylogue/client/console'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { spellOut } from '../../model/console-contract.ts'
import { SERVER_KEY } from '../../model/console-model.ts'
import { factsOf, placed } from '../../model/call-facts.ts'
import { isObject } from '../../model/http.ts'
import type { OpenSession } from '../../model/open-session.ts'
import { LazyDiff } from '../../ui/lazy-diff.tsx'
import { useModel, useSnapshot } from '../../ui/model-context.tsx'
import { CardHead } from './card-head.tsx'
import { ScopeChoice, proposalOf, type Scope } from './scope-choice.tsx'
import { useProposals } from './use-proposals.ts'

/** A key that was meant for something else must not answer a card that has just come. */
const STILL_MS = 500

interface ApprovalCardProps {
  readonly session: OpenSession
  readonly call: WaitingCall
  readonly children: React.ReactNode
}

export function ApprovalCard({ session, call, children }: ApprovalCardProps) {
  const { t } = useTranslation()
  const model = useModel()
  const [scope, setScope] = useState<Scope>('once')
  const [reason, setReason] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const card = useRef<HTMLDivElement>(null)
  const shownAt = useRef(Date.now())
  const proposals = useProposals(session.id, call)

  const answer = async (granted: boolean, why?: string): Promise<void> => {
    if (isBusy) return
    setBusy(true)
    setProblem(undefined)
    try {
      const proposed = granted ? proposalOf(proposals, scope) : undefined
      if (proposed !== undefined) {
        await (await model.api()).addRule({ body: { ...proposed.rule, first: proposed.first } })
      }
      const offer = call.approval?.offers.find(({ id }) => id === scope)?.id
      const refused = await session.answerApproval(call.toolCallId, {
        granted,
        ...(granted && offer !== undefined && { offer }),
        ...(!granted && why !== undefined && { reason: why }),
      })
      if (refused !== undefined) setProblem(refused === 'no_pending_question' ? t('answeredFirst') : refused)
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    } finally {
      setBusy(false)
    }
  }

  useEffect(() => {
    const element = card.current?.closest<HTMLElement>('.ask')
    if (element === null || element === undefined) return
    const listen = (event: KeyboardEvent): void => {
      const isField = event.target instanceof HTMLElement && event.target.closest('input[type=text], textarea') !== null
      if (isField || event.ctrlKey || event.metaKey || event.altKey) return
      if (!['a', 'd', 'r'].includes(event.key)) return
      event.preventDefault()
      event.stopPropagation()
      if (Date.now() - shownAt.current < STILL_MS) return
      if (event.key === 'a') void answer(true)
      if (event.key === 'd') void answer(false)
      if (event.key === 'r') setReason('')
    }
    element.addEventListener('keydown', listen)
    return () => element.removeEventListener('keydown', listen)
  })

  return (
    <div ref={card} className="card">
      <CardHead call={call}>{children}</CardHead>
      <div className="card-scroll">
        <WhatRuns call={call} directory={session.head.record?.directories[0]} />
        <ScopeChoice call={call} proposals={proposals} scope={scope} onChoose={setScope} />
        {problem === undefined ? null : (
          <p className="row-problem" role="alert">
            {problem}
          </p>
        )}
      </div>
      {reason === undefined ? (
        <div className="card-foot">
          <button type="button" className="button" disabled={isBusy} onClick={() => void answer(false)}>
            {t('deny')} <kbd>d</kbd>
          </button>
          <button type="button" className="button" disabled={isBusy} onClick={() => setReason('')}>
            {t('denyWhy')} <kbd>r</kbd>
          </button>
          <span className="composer-space" />
          <button type="button" className="button ink" disabled={isBusy} onClick={() => void answer(true)}>
            {t('allow')} <kbd>a</kbd>
          </button>
        </div>
      ) : (
        <form
          className="card-foot"
          onSubmit={(event) => {
            event.preventDefault()
            void answer(false, reason.trim() === '' ? undefined : reason.trim())
          }}
        >
          <input
            type="text"
            className="field"
            aria-label={t('denyReason')}
            placeholder={t('denyReason')}
            value={reason}
            ref={(field) => field?.focus()}
            onChange={(event) => setReason(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Escape') return
              event.preventDefault()
              setReason(undefined)
            }}
          />
          <button type="submit" className="button ink" disabled={isBusy}>
            {t('deny')}
          </button>
        </form>
      )}
    </div>
  )
}

interface WhatRunsProps {
  readonly call: WaitingCall
  /** Where a command runs. */
  readonly directory: string | undefined
}

/** Exactly what runs: the whole command, or what becomes of each file, and the input as it is hashed. */
function WhatRuns({ call, directory }: WhatRunsProps) {
  const { t } = useTranslation()
  const model = useModel()
  const server = useSnapshot(SERVER_KEY, () => model.server)
  const input = isObject(call.input) ? call.input : { input: call.input }
  const facts = factsOf(input)
  const says = typeof input['description'] === 'string' ? input['description'] : undefined
  const exact = spellOut(JSON.stringify(call.input, undefined, 2))
  return (
    <>
      {facts.command === undefined ? null : (
        <pre className="card-command" tabIndex={0}>
          {spellOut(facts.command)}
        </pre>
      )}
      {placed(call.diffs).map(({ path, ...texts }, index) => (
        <LazyDiff key={index} path={pathFrom(directory, path)} {...texts} />
      ))}
      {facts.command === undefined && call.diffs.length === 0 ? (
        <pre className="card-command" tabIndex={0}>
          {exact}
        </pre>
      ) : null}
      {says === undefined ? null : (
        <p className="card-says">
          {t('agentSays')} “{spellOut(says)}” <span className="quiet">({t('unchecked')})</span>
        </p>
      )}
      {facts.command === undefined || server === undefined ? null : (
        <p className="card-facts quiet">
          {directory === undefined ? null : <span className="mono">cwd {spellOut(directory)}</span>}
          <span>
            {t('sandbox')}: <span translate="no">{server.status.sandbox}</span>
          </span>
        </p>
      )}
      {facts.command === undefined && call.diffs.length === 0 ? null : (
        <details className="card-exact">
          <summary>{t('exactInput')}</summary>
          <pre tabIndex={0}>{exact}</pre>
          {call.approval === undefined ? null : (
            <p className="quiet">
              {t('hash')} <code>{call.approval.callHash}</code>
            </p>
          )}
        </details>
      )}
    </>
  )
}

/** A path below the session's directory is shown from there, as the agent writes it. */
const pathFrom = (directory: string | undefined, path: string): string =>
  directory !== undefined && path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : path
