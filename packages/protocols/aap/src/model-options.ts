// The model of a session and how much it thinks, as options of its agent: AAP has no other place for them. An agent that
// defines an option of the same name keeps its own.
import type { AgentDefinition, AgentOption, OfferedModel, SessionChanges, SessionView } from '@polylogue/engine'
import { WireError } from './errors.ts'

const MODEL = 'model'
const THINKING = 'thinking'
/** As much thinking as the model does by default. */
const DEFAULT_THINKING = 'default'

type Options = Readonly<Record<string, string>>

const hasOwn = ({ options }: AgentDefinition, wanted: string): boolean => options.some(({ name }) => name === wanted)

/** `models` are those that clients may choose for the agent. Empty: the agent has no such options. */
export function modelOptions(agent: AgentDefinition, models: readonly OfferedModel[]): readonly AgentOption[] {
  if (models.length === 0) return []
  const names = new Set([agent.modelName, ...models.map(({ name }) => name)])
  const levels = levelsOf(models)
  const model: AgentOption = {
    type: 'select',
    name: MODEL,
    title: 'Model',
    description: 'The model of the session, from its next turn on.',
    choices: [...names],
    default: agent.modelName,
  }
  const thinking: AgentOption = {
    type: 'select',
    name: THINKING,
    title: 'Thinking',
    description: 'How much the model thinks. A level that the model does not have is ignored.',
    choices: [DEFAULT_THINKING, ...levels],
    default: DEFAULT_THINKING,
  }
  return [model, ...(levels.length > 0 ? [thinking] : [])].filter(({ name }) => !hasOwn(agent, name))
}

/** The levels of all models. The longest list decides their order. */
function levelsOf(models: readonly OfferedModel[]): readonly string[] {
  const lists = models.map(({ thinkingLevels = [] }) => thinkingLevels)
  return [...new Set(lists.toSorted((one, other) => other.length - one.length).flat())]
}

export interface ChosenOptions {
  /** Without those of the model. */
  readonly options?: Options
  readonly settings: Pick<SessionChanges, 'model' | 'thinking'>
}

/** Takes the options of the model out of those that a client has sent. */
export function takeModelOptions(
  sent: Options | undefined,
  agent: AgentDefinition,
  models: readonly OfferedModel[],
): ChosenOptions {
  if (sent === undefined) return { settings: {} }
  const offered = modelOptions(agent, models)
  const options = { ...sent }
  const settings: { model?: string; thinking?: string } = {}
  for (const option of offered) {
    const value = options[option.name]
    delete options[option.name]
    if (value === undefined) continue
    if (option.type === 'select' && !option.choices.includes(value)) {
      throw new WireError(400, `agent.options.${option.name}: must be one of the values that the agent lists`)
    }
    if (option.name === MODEL) settings.model = value
    else settings.thinking = value === DEFAULT_THINKING ? '' : value
  }
  return { options, settings }
}

/** The options that a session shows for its model: only what was set, at any door. */
export function encodeModelOptions(session: SessionView, agent: AgentDefinition | undefined): Options {
  const isShown = (name: string): boolean => agent === undefined || !hasOwn(agent, name)
  return {
    ...(session.model !== undefined && isShown(MODEL) && { [MODEL]: session.model }),
    ...(session.thinking !== undefined && isShown(THINKING) && { [THINKING]: session.thinking }),
  }
}
