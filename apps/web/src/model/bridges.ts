/** What tools ask of the page around an embedded session. Each action is told once, and past ones never. */
import type { BladeOutput, ContentBlock, TurnProjection } from '@polylogue/client/blade'

import { isObject } from './http.ts'

export interface BridgeAction {
  readonly action: string
  readonly payload: unknown
  readonly tool_call_id: string
}

type Block = Pick<ContentBlock, 'type' | 'content' | 'tool_call_id'>

export class Bridges {
  readonly #told = new Set<string>()
  readonly #tell: (action: BridgeAction) => void
  /** The last turn when the page was opened. Earlier ones are the past. */
  #first: number | undefined

  constructor(tell: (action: BridgeAction) => void) {
    this.#tell = tell
  }

  take({ event, payload }: BladeOutput): void {
    if (event !== 'turn:patch' || payload.patch_type !== 'add_content') return
    const { type, content = null, tool_call_id = null } = payload.data
    this.#offer({ type, content, tool_call_id })
  }

  /** The turns after they were loaded: at first the past, later also what was missed while the connection was lost. */
  see(turns: readonly TurnProjection[]): void {
    const first = this.#first
    if (first === undefined) {
      this.#first = turns.at(-1)?.sequence ?? 0
      for (const block of turns.flatMap(({ blocks }) => blocks)) {
        const past = toAction(block)
        if (past !== undefined) this.#told.add(past.tool_call_id)
      }
      return
    }
    for (const { sequence, blocks } of turns) if (sequence >= first) for (const block of blocks) this.#offer(block)
  }

  #offer(block: Block): void {
    const found = toAction(block)
    if (found === undefined || this.#told.has(found.tool_call_id)) return
    this.#told.add(found.tool_call_id)
    this.#tell(found)
  }
}

function toAction({ type, content, tool_call_id }: Block): BridgeAction | undefined {
  if (type !== 'tool_bridge' || tool_call_id === null) return undefined
  if (!isObject(content)) return undefined
  const { action, payload = null } = content
  return typeof action === 'string' ? { action, payload, tool_call_id } : undefined
}
