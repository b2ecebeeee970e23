import type { WaitingCall } from '@polylogue/client/console'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { spellOut } from '../../model/console-contract.ts'
import { questionsOf, type Question } from '../../model/questions.ts'
import type { OpenSession } from '../../model/open-session.ts'
import { useModel } from '../../ui/model-context.tsx'
import { CardHead } from './card-head.tsx'

interface QuestionFormProps {
  readonly session: OpenSession
  readonly call: WaitingCall
  readonly children: React.ReactNode
}

type Selections = { readonly [question: string]: readonly number[] }
type Words = { readonly [question: string]: string }

export function QuestionForm({ session, call, children }: QuestionFormProps) {
  const { t } = useTranslation()
  const model = useModel()
  const questions = questionsOf(call.input)
  const [selections, setSelections] = useState<Selections>({})
  const [custom, setCustom] = useState<Words>({})
  const [problem, setProblem] = useState<string>()

  const isAnswered = (index: number): boolean =>
    (selections[index]?.length ?? 0) > 0 || (custom[index]?.trim() ?? '') !== ''
  const send = async (): Promise<void> => {
    if (!questions.every((_, index) => isAnswered(index))) return setProblem(t('answerAll'))
    const refused = await session.answer({
      tool_call_id: call.toolCallId,
      selections,
      custom: Object.fromEntries(Object.entries(custom).filter(([, text]) => text.trim() !== '')),
    })
    if (refused !== undefined) setProblem(refused === 'no_pending_question' ? t('answeredFirst') : refused)
  }
  const decline = async (): Promise<void> => {
    const api = await model.api()
    await api.cancelCall({ id: session.id, call: call.toolCallId, body: { reason: 'The user declined to answer.' } })
  }
  const toggle = (index: number, option: number, isMany: boolean): void => {
    const before = selections[index] ?? []
    const without = before.filter((other) => other !== option)
    const next = isMany ? (before.includes(option) ? without : [...before, option]) : [option]
    setSelections({ ...selections, [index]: next })
  }

  return (
    <form
      className="card"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <CardHead call={call}>{children}</CardHead>
      <div className="card-scroll">
        {questions.map((question, index) => (
          <QuestionPart
            key={`${index}${question.question}`}
            index={index}
            question={question}
            chosen={selections[index] ?? []}
            words={custom[index] ?? ''}
            onToggle={(option) => toggle(index, option, question.multiSelect)}
            onWords={(text) => setCustom({ ...custom, [index]: text })}
          />
        ))}
        {problem === undefined ? null : (
          <p className="row-problem" role="alert">
            {problem}
          </p>
        )}
      </div>
      <div className="card-foot">
        <button type="button" className="button" onClick={() => void decline()}>
          {t('decline')}
        </button>
        <span className="composer-space" />
        <button type="submit" className="button ink">
          {t('answer')}
        </button>
      </div>
    </form>
  )
}

interface QuestionPartProps {
  readonly index: number
  readonly question: Question
  readonly chosen: readonly number[]
  readonly words: string
  readonly onToggle: (option: number) => void
  readonly onWords: (text: string) => void
}

function QuestionPart({ index, question, chosen, words, onToggle, onWords }: QuestionPartProps) {
  const { t } = useTranslation()
  const { options, multiSelect } = question
  return (
    <fieldset className="question">
      <legend>{spellOut(question.question)}</legend>
      {options.map(({ label, description }, option) => (
        <label key={`${option}${label}`} className="scope-option">
          <input
            type={multiSelect ? 'checkbox' : 'radio'}
            name={`question-${index}`}
            checked={chosen.includes(option)}
            onChange={() => onToggle(option)}
          />
          <span>
            {spellOut(label)}
            {description === undefined ? null : <small className="quiet">{spellOut(description)}</small>}
          </span>
        </label>
      ))}
      <input
        type="text"
        className="field"
        aria-label={options.length > 0 ? t('ownWords') : t('yourAnswer')}
        placeholder={options.length > 0 ? t('ownWords') : t('yourAnswer')}
        value={words}
        onChange={(event) => onWords(event.target.value)}
      />
    </fieldset>
  )
}
