import { homedir } from 'node:os'
import { relative } from 'node:path'
import type { Session } from '@polylogue/console/client'
import type { Owner } from '../with-owner.ts'

export interface SessionModel {
  readonly name: string
  /** Lowest first. Empty: the model has none, or none are known. */
  readonly levels: readonly string[]
  /** What to know before the first message: that no model is set up, and how to get one. */
  readonly note?: string
}

const DEMO = 'polylogue/demo'

/** The model of a session: the one that was chosen for it, or that of its agent. */
export async function readSessionModel(
  { console }: Pick<Owner, 'console'>,
  { agent, model }: Session,
): Promise<SessionModel> {
  const name = model ?? (await console.listAgents()).agents.find((card) => card.name === agent)?.model ?? 'unknown'
  const { models, default: chosen } = await console.listModels()
  const levels = models.find((card) => card.name === name)?.thinking ?? []
  return { name, levels, ...(name === DEMO && chosen.name === DEMO && { note: chosen.reason }) }
}

/** Who answers, and where it works. */
export function formatHeader({ agent, thinking, directories }: Session, { name }: SessionModel): string {
  const model = thinking === undefined ? name : `${name}, thinking ${thinking}`
  return [agent, model, ...directories.slice(0, 1).map(fromHome)].join(' · ')
}

/** A path, shorter where it is below the home directory. */
export function fromHome(path: string): string {
  const below = relative(homedir(), path)
  if (below === '') return '~'
  return below.startsWith('..') || below.startsWith('/') ? path : `~/${below}`
}
