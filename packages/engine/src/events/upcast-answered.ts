import type { ToolKind } from './tool-kind.ts'
import { isObject } from './upcast-settings.ts'

/** The tools that doors recognised by name before kinds were recorded. */
const KIND_OF_NAME: ReadonlyMap<unknown, ToolKind> = new Map([
  ['TodoWrite', 'plan'],
  ['AskUserQuestion', 'question'],
  ['Agent', 'agent'],
  ['Bash', 'execute'],
  ['submit_result', 'result'],
])
const KIND_OF_ROUTE: ReadonlyMap<unknown, ToolKind> = new Map([
  ['question', 'question'],
  ['agent', 'agent'],
])

/** `step.answered` version 1 has no `kinds`: they follow from the routes and from the names of the tools. */
export function upcastAnswered(data: unknown): unknown {
  if (!isObject(data) || !Array.isArray(data['blocks'])) return data
  const routes = isObject(data['routes']) ? data['routes'] : {}
  const kinds = data['blocks'].flatMap((block: unknown): [string, ToolKind][] => {
    if (!isObject(block) || block['type'] !== 'tool-call' || typeof block['toolCallId'] !== 'string') return []
    const route = routes[block['toolCallId']]
    const kind = KIND_OF_ROUTE.get(route) ?? (route === 'client' ? undefined : KIND_OF_NAME.get(block['name']))
    return kind === undefined ? [] : [[block['toolCallId'], kind]]
  })
  return kinds.length === 0 ? data : { ...data, kinds: Object.fromEntries(kinds) }
}
