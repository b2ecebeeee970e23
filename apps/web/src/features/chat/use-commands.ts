import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'wouter'
import type { OpenSession } from '../../model/open-session.ts'
import { useModel } from '../../ui/model-context.tsx'
import type { SlashCommand } from './slash-menu.tsx'

/** What can be done by typing a slash, and what went wrong with it. */
export function useCommands(session: OpenSession): {
  readonly commands: readonly SlashCommand[]
  readonly problem: string | undefined
} {
  const { t } = useTranslation()
  const model = useModel()
  const [, navigate] = useLocation()
  const [problem, setProblem] = useState<string>()
  const { id } = session
  const preset = session.head.record?.preset
  const compact = async (): Promise<void> => setProblem(await model.compact(id))
  const plan = async (): Promise<void> => {
    try {
      await (await model.api()).changeSession({ id, body: { planning: preset !== 'plan' } })
      await session.readRecord()
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    }
  }
  const begin =
    (work: () => Promise<void> | void): (() => void) =>
    () => {
      setProblem(undefined)
      void work()
    }
  return {
    problem,
    commands: [
      { name: 'compact', hint: t('compactHint'), run: begin(compact) },
      { name: 'plan', hint: preset === 'plan' ? t('planEndHint') : t('planHint'), run: begin(plan) },
      { name: 'doors', hint: t('doorsHint'), run: begin(() => navigate(`/s/${id}/doors`)) },
      { name: 'new', hint: t('newTitle'), run: begin(() => navigate('/')) },
      { name: 'usage', hint: t('usageHint'), run: begin(() => navigate('/usage')) },
    ],
  }
}
