import type { PlanEntry, ToolCallContent, ToolCallLocation, ToolKind as WireKind } from '@agentclientprotocol/sdk'
import type { CallInspection, JsonObject, ToolCallId, ToolCallPart, ToolKind } from '@polylogue/engine'
import { planOf } from './plan-of.ts'
import { diffContent } from './tool-content.ts'
import { detailsOf, titleOf } from './what-runs.ts'

const VERBATIM: ReadonlySet<ToolKind> = new Set(['read', 'search', 'execute'])

/** What a projection needs to know about a tool. */
export interface ToolLook {
  readonly title?: string
  readonly kind?: ToolKind
}

/** A call as it was announced. A permission request repeats it. */
export interface Announcement {
  readonly toolCallId: ToolCallId
  readonly title: string
  readonly kind: WireKind
  readonly status: 'pending'
  readonly rawInput: JsonObject
  readonly name: string
  readonly locations?: ToolCallLocation[]
  readonly content?: ToolCallContent[]
}

/** A call that has not been settled yet. */
export interface ShownCall {
  readonly announcement: Announcement
  /** The call may end during a later prompt. Clients forget calls with the prompt that announced them. */
  readonly outlivesPrompt: boolean
  /** Shown only in the permission request. */
  readonly details: ToolCallContent[]
  readonly diffs: ToolCallContent[]
  /** The call is not announced. When it succeeds, it becomes the plan. */
  readonly plan: PlanEntry[] | undefined
  /** Its output is a file, a list or what a program printed, and no Markdown. */
  readonly isVerbatim: boolean
  isAnnounced: boolean
  isRunning: boolean
  hasToldOutput: boolean
}

export function showCall(
  { toolCallId, name, input }: ToolCallPart,
  inspection: Partial<CallInspection> = {},
  look: ToolLook = {},
): ShownCall {
  const { locations = [], diffs = [] } = inspection.preview ?? {}
  const content = diffs.map(diffContent)
  const call = { name, input, inspection, toolTitle: look.title }
  return {
    announcement: {
      toolCallId,
      title: titleOf(call),
      kind: toWireKind(look.kind),
      status: 'pending',
      rawInput: input,
      name,
      ...(locations.length > 0 && { locations: locations.map(toLocation) }),
      ...(content.length > 0 && { content }),
    },
    outlivesPrompt: look.kind === 'question',
    details: detailsOf(call),
    diffs: content,
    plan: planOf(look.kind, input),
    isVerbatim: look.kind !== undefined && VERBATIM.has(look.kind),
    isAnnounced: false,
    isRunning: false,
    hasToldOutput: false,
  }
}

const toLocation = ({ path, line }: { readonly path: string; readonly line?: number }): ToolCallLocation => ({
  path,
  ...(line !== undefined && { line }),
})

function toWireKind(kind: ToolKind = 'other'): WireKind {
  switch (kind) {
    case 'plan':
    case 'agent':
      return 'think'
    case 'question':
    case 'result':
      return 'other'
    case 'switch-mode':
      return 'switch_mode'
    default:
      return kind
  }
}
