import type { AgentOption, Tool } from '@polylogue/engine'
import type { AgentCard, agentOperations } from '../contract/agents.ts'
import { PRESETS } from '../contract/fields.ts'
import type { Answers } from './answer-operations.ts'
import type { ConsoleDeps } from './deps.ts'

type AgentDeps = Pick<ConsoleDeps, 'agents' | 'judgeTool' | 'budgetsOf' | 'rules'>
type Verdicts = AgentCard['tools'][number]['verdicts']

export function answerAgents({ agents, judgeTool, budgetsOf, rules }: AgentDeps): Answers<typeof agentOperations> {
  return {
    async listAgents({ caller: { userId } }) {
      const own = (await rules.listRules(userId)).map(({ rule }) => rule)
      const verdictsOf = (tool: Tool): Verdicts => {
        const found = PRESETS.map((preset) => [preset, judgeTool(tool, { userId, preset, rules: own })])
        // One entry per preset.
        return Object.fromEntries(found) as Verdicts
      }
      return {
        agents: agents.list().map(({ name, title, description, version, modelName, options, tools }) => ({
          name,
          title,
          description,
          version,
          model: modelName,
          isDefault: name === agents.defaultName,
          options: options.map(toOptionJson),
          tools: tools.map((tool) => ({
            name: tool.name,
            title: tool.title,
            description: tool.description,
            effect: tool.effect,
            verdicts: verdictsOf(tool),
          })),
        })),
      }
    },

    async listBudgets({ caller: { keyId } }) {
      const { currency, of } = budgetsOf(keyId)
      return { currency, budgets: agents.list().map(({ name }) => ({ agent: name, ...of(name) })) }
    },
  }
}

const toOptionJson = (option: AgentOption): AgentCard['options'][number] => ({
  name: option.name,
  title: option.title,
  description: option.description,
  type: option.type,
  default: option.default,
  ...(option.type === 'select' && { choices: option.choices }),
})
