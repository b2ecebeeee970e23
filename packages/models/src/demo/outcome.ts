import { type ModelMessage, textOf } from '@polylogue/engine'

export type ToolMessage = Extract<ModelMessage, { readonly role: 'tool' }>

/** `refused`: by the mode or a rule, without asking anybody. `unknown`: the server died while it ran. */
export type Outcome =
  | { readonly type: 'done' | 'failed' | 'unknown' | 'refused' }
  | { readonly type: 'denied'; readonly reason: string | undefined }

const REFUSED = /^Error: the tool \S+ (?:is not allowed|was denied|is not enabled)/

/** The engine tells a model in words how a call ended. */
export function outcomeOf({ isError, content }: ToolMessage): Outcome {
  if (!isError) return { type: 'done' }
  const text = textOf(content)
  const denied = /^Tool call denied(?:: (?<reason>.*))?$/s.exec(text)
  if (denied) return { type: 'denied', reason: denied.groups?.['reason'] }
  if (REFUSED.test(text)) return { type: 'refused' }
  return { type: text.startsWith('Outcome unknown') ? 'unknown' : 'failed' }
}
