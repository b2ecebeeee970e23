import type { WireBlock, WireEvent, WireMessage } from '../wire.ts'

/** The messages that one turn's events add up to, with thinking and text in the order in which they came. */
export interface TurnFold {
  /** `id` is the cursor of the event; empty on servers that send none. */
  apply(event: WireEvent, id?: string): void
  messages(): readonly WireMessage[]
}

export function foldTurn(): TurnFold {
  const finished: WireMessage[] = []
  let blocks: WireBlock[] = []
  let step: string | undefined

  const closeStep = (): void => {
    if (blocks.length > 0) finished.push({ role: 'assistant', content: blocks })
    blocks = []
  }
  const append = (type: 'text' | 'thinking', text: string): void => {
    const last = blocks.at(-1)
    if (last?.type === 'text' && type === 'text') blocks[blocks.length - 1] = { type, text: last.text + text }
    else if (last?.type === 'thinking' && type === 'thinking') {
      blocks[blocks.length - 1] = { type, thinking: last.thinking + text }
    } else blocks.push(type === 'text' ? { type, text } : { type, thinking: text })
  }
  return {
    apply(event, id = '') {
      const isDelta = event.event === 'text_delta' || event.event === 'thinking_delta'
      if (isDelta) enterStep(id)
      switch (event.event) {
        case 'text_delta':
          return startStepAfterCalls(() => append('text', event.delta))
        case 'thinking_delta':
          return startStepAfterCalls(() => append('thinking', event.delta))
        case 'text':
          return startStepAfterCalls(() => append('text', event.text))
        case 'thinking':
          return startStepAfterCalls(() => append('thinking', event.thinking))
        case 'tool_call': {
          const { toolCallId, name, input } = event
          blocks.push({ type: 'tool_use', toolCallId, name, input })
          return
        }
        case 'tool_result':
          closeStep()
          finished.push({ role: 'tool', toolCallId: event.toolCallId, content: event.content })
          return
        case 'resync':
          // The server sends the unfinished step again from its start.
          blocks = []
          return
        default:
          return
      }
    },
    messages: () => (blocks.length > 0 ? [...finished, { role: 'assistant', content: [...blocks] }] : [...finished]),
  }

  /** The id of a delta begins with its step. A step that a crash has cut short is followed by one that says it again. */
  function enterStep(id: string): void {
    const next = /^(\d+)\./.exec(id)?.[1]
    if (next === undefined || next === step) return
    if (step !== undefined) closeStep()
    step = next
  }

  /** Text after calls belongs to a new step whose predecessor had no results to show. */
  function startStepAfterCalls(add: () => void): void {
    if (blocks.at(-1)?.type === 'tool_use') closeStep()
    add()
  }
}
