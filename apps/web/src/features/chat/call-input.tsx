import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { placed, rangeOf, type CallFacts, type FileChange } from '../../model/call-facts.ts'
import type { JsonObject } from '../../model/http.ts'
import type { TurnSource } from '../../model/turn-source.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { LazyDiff } from '../../ui/lazy-diff.tsx'
import { useModel } from '../../ui/model-context.tsx'
import { spellBidi } from '../../ui/spell-bidi.ts'
import { InputTable } from './input-table.tsx'

interface CallInputProps {
  readonly session: TurnSource
  readonly call: string
  readonly facts: CallFacts
}

/** What a call was given: a change as a diff, a command or a task as text, everything else by its names. */
export function CallInput({ session, call, facts }: CallInputProps) {
  const { t } = useTranslation()
  const { kind, input, changes, command } = facts
  if (changes !== undefined) return <Changes session={session} call={call} told={changes} />
  const prompt = kind === 'agent' && typeof input['prompt'] === 'string' ? input['prompt'] : undefined
  if (Object.keys(input).length === 0) return null
  return (
    <figure className="call-output">
      <figcaption>
        {prompt === undefined ? t('input') : t('task')}{' '}
        <CopyButton text={command ?? prompt ?? JSON.stringify(input, undefined, 2)} />
      </figcaption>
      {command === undefined ? null : <pre tabIndex={0}>{spellBidi(command)}</pre>}
      {prompt === undefined ? null : (
        <p className="call-prose" tabIndex={0}>
          {spellBidi(prompt)}
        </p>
      )}
      <InputTable input={restOf(facts)} range={kind === 'file' ? rangeOf(input) : undefined} />
    </figure>
  )
}

/** What is not shown above, or in the head of the call. */
function restOf({ kind, input, command }: CallFacts): JsonObject {
  const shown =
    command !== undefined
      ? ['command', 'description']
      : kind === 'agent'
        ? ['prompt', 'description']
        : kind === 'file'
          ? ['offset', 'limit']
          : []
  return Object.fromEntries(Object.entries(input).filter(([name]) => !shown.includes(name)))
}

interface ChangesProps {
  readonly session: TurnSource
  readonly call: string
  /** What the input alone tells. */
  readonly told: readonly FileChange[]
}

/** The server recorded what was in the file, and where. Guests and older logs have the input only. */
function Changes({ session, call, told }: ChangesProps) {
  const model = useModel()
  const [recorded, setRecorded] = useState<readonly FileChange[]>()
  useEffect(() => {
    let isCurrent = true
    const read = async (): Promise<void> => {
      const { diffs } = await (await model.api()).readCall({ id: session.id, call })
      if (isCurrent && diffs.length > 0) setRecorded(placed(diffs))
    }
    read().catch(() => undefined)
    return () => void (isCurrent = false)
  }, [model, session.id, call])
  // The input names the file as the agent does; the record holds its whole path.
  return (recorded ?? told).map((change, index) => (
    <LazyDiff key={index} {...change} path={told[0]?.path ?? change.path} />
  ))
}
