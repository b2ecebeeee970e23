import type { SessionDetail } from '@polylogue/client/blade'
import { useState } from 'react'
import { SERVER_KEY } from '../../model/console-model.ts'
import { useModel, useSnapshot } from '../../ui/model-context.tsx'
import { ModelMenu } from './model-menu.tsx'
import { ThinkingMenu } from './thinking-menu.tsx'

/** The model of an open session and how much it thinks, from the next turn on. Every door shows the choice. */
export function SessionModel({ detail }: { readonly detail: SessionDetail }) {
  const model = useModel()
  const server = useSnapshot(SERVER_KEY, () => model.server)
  const [problem, setProblem] = useState<string>()
  const { id, model: chosen, thinking } = detail
  const models = server?.models ?? []
  const levelsOf = (name: string | null): readonly string[] => models.find((one) => one.id === name)?.thinking ?? []
  const change = (changes: { readonly model?: string; readonly thinking?: string }): void => {
    setProblem(undefined)
    model.setModel(id, changes).catch((error: unknown) => setProblem(error instanceof Error ? error.message : ''))
  }
  const pick = (next: string): void => {
    // A level that the next model does not have would be refused.
    const isKept = thinking === null || levelsOf(next).includes(thinking)
    change({ model: next, ...(!isKept && { thinking: '' }) })
  }
  const levels = levelsOf(chosen)
  return (
    <>
      {models.some((one) => one.id !== chosen) ? (
        <ModelMenu
          models={models}
          model={chosen ?? undefined}
          onPick={(next) => next !== undefined && pick(next)}
          hasDefault={false}
          side="top"
        />
      ) : null}
      {levels.length > 0 ? (
        <ThinkingMenu
          levels={levels}
          level={thinking ?? undefined}
          onPick={(level) => change({ thinking: level ?? '' })}
          side="top"
        />
      ) : null}
      {problem === undefined ? null : (
        <span className="pick-problem" role="alert">
          {problem}
        </span>
      )}
    </>
  )
}
