import type { SessionCommand } from '@polylogue/client/console'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'wouter'
import type { OpenSession } from '../../model/open-session.ts'
import { useModel } from '../../ui/model-context.tsx'
import type { SlashCommand } from './slash-menu.tsx'

interface Commands {
  readonly commands: readonly SlashCommand[]
  readonly problem: string | undefined
  /** What a command answered. */
  readonly said: string | undefined
}

const NONE: readonly SessionCommand[] = []

/** What can be done by typing a slash: commands of the page, and those of the session, such as its skills and prompts. */
export function useCommands(session: OpenSession): Commands {
  const { t } = useTranslation()
  const model = useModel()
  const [, navigate] = useLocation()
  const [problem, setProblem] = useState<string>()
  const [said, setSaid] = useState<string>()
  const { id } = session
  const offered = useOffered(session)
  const preset = session.head.record?.preset
  const begin =
    (work: (rest: string) => Promise<unknown> | void): ((rest: string) => void) =>
    (rest) => {
      setProblem(undefined)
      setSaid(undefined)
      Promise.resolve(work(rest)).catch((error: unknown) =>
        setProblem(error instanceof Error ? error.message : String(error)),
      )
    }
  const compact = async (): Promise<void> => setProblem(await model.compact(id))
  const plan = async (): Promise<void> => {
    await (await model.api()).changeSession({ id, body: { planning: preset !== 'plan' } })
    await session.readRecord()
  }
  const run = async (name: string, rest: string): Promise<void> => {
    const { type, text } = await (await model.api()).runCommand({ id, body: { name, rest } })
    if (type === 'prompt') model.send(id, { text })
    else setSaid(text)
  }
  const own = [
    { name: 'compact', hint: t('compactHint'), run: begin(compact) },
    { name: 'plan', hint: preset === 'plan' ? t('planEndHint') : t('planHint'), run: begin(plan) },
    { name: 'doors', hint: t('doorsHint'), run: begin(() => navigate(`/s/${id}/doors`)) },
    { name: 'new', hint: t('newSession'), run: begin(() => navigate('/')) },
    { name: 'usage', hint: t('usageHint'), run: begin(() => navigate('/usage')) },
  ]
  const ofSession = offered
    .filter(({ name }) => !own.some((known) => known.name === name))
    .map(({ name, description, hint }) => ({
      name,
      hint: description,
      ...(hint !== undefined && { rest: hint }),
      run: begin((rest) => run(name, rest)),
    }))
  // An embedded page has no other screens.
  return { problem, said, commands: model.isEmbedded ? own.slice(0, 1) : [...own, ...ofSession] }
}

function useOffered(session: OpenSession): readonly SessionCommand[] {
  const model = useModel()
  const [offered, setOffered] = useState(NONE)
  const isOwner = session.head.record !== undefined && !model.isEmbedded
  useEffect(() => {
    if (!isOwner) return
    let isCurrent = true
    const read = async (): Promise<void> => {
      const { commands } = await (await model.api()).listCommands({ id: session.id })
      if (isCurrent) setOffered(commands)
    }
    // Without them, the commands of the page are there.
    read().catch(() => undefined)
    return () => void (isCurrent = false)
  }, [model, session.id, isOwner])
  return offered
}
