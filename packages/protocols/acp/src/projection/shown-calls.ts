import type { SessionUpdate, ToolCallContent } from '@agentclientprotocol/sdk'
import type {
  CallInspection,
  CallStatus,
  EntryId,
  JsonObject,
  ToolCallId,
  ToolCallPart,
  ToolContent,
} from '@polylogue/engine'
import type { AcpProfile } from '../deps.ts'
import { readPartialObject } from './partial-json.ts'
import { showCall, type Announcement, type ShownCall, type ToolLook } from './shown-call.ts'
import { outputContent, textContent, verbatimContent, type ImageBytes } from './tool-content.ts'

/** The `_meta` key for the part of a result that is for clients only. */
const RESULT_META = 'polylogue/result'
const UNFINISHED = 'The model did not finish this call.'

export interface CallEnd {
  readonly status: CallStatus
  readonly output: ToolContent
  readonly meta?: JsonObject
}

/** A call that the model is still writing. */
export interface CallBeginning {
  readonly toolCallId: ToolCallId
  readonly name: string
  readonly stepId: EntryId
  /** The input so far, as JSON text. */
  readonly text: string
}

/** The updates of open calls. Each call is announced once and ends once. */
export class ShownCalls {
  readonly #profile: AcpProfile
  readonly #imageBytes: ImageBytes
  readonly #calls = new Map<ToolCallId, ShownCall>()
  /** Announced calls that the model is still writing, with their steps. */
  readonly #begun = new Map<ToolCallId, EntryId>()
  /** Terminals of the client by call. The terminal shows the call's output. */
  readonly #terminals = new Map<ToolCallId, string>()

  constructor(profile: AcpProfile, imageBytes: ImageBytes) {
    this.#profile = profile
    this.#imageBytes = imageBytes
  }

  find(toolCallId: ToolCallId): Announcement | undefined {
    return this.#calls.get(toolCallId)?.announcement
  }

  /** The announcement with everything a person must see to approve the call. */
  forApproval(toolCallId: ToolCallId): Announcement | undefined {
    const { announcement, details } = this.#calls.get(toolCallId) ?? {}
    if (announcement === undefined || details === undefined || details.length === 0) return announcement
    return { ...announcement, content: [...(announcement.content ?? []), ...details] }
  }

  made(call: ToolCallPart, inspection: CallInspection | undefined, look: ToolLook | undefined): SessionUpdate[] {
    const shown = showCall(call, inspection, look)
    this.#calls.set(call.toolCallId, shown)
    if (this.#begun.delete(call.toolCallId)) {
      shown.isAnnounced = true
      return [{ sessionUpdate: 'tool_call_update', ...shown.announcement }]
    }
    return shown.plan === undefined ? this.announce(call.toolCallId) : []
  }

  /** Announces a call with its first piece, then sends its input so far. A plan is not announced. */
  begun({ toolCallId, name, stepId, text }: CallBeginning, look: ToolLook = {}): SessionUpdate[] {
    if (look.kind === 'plan') return []
    const rawInput = readPartialObject(text) ?? {}
    if (this.#begun.has(toolCallId)) return [{ sessionUpdate: 'tool_call_update', toolCallId, rawInput }]
    this.#begun.set(toolCallId, stepId)
    const { title, kind, status } = showCall({ type: 'tool-call', toolCallId, name, input: {} }, {}, look).announcement
    return [{ sessionUpdate: 'tool_call', toolCallId, title, kind, status, name, rawInput }]
  }

  /** Ends the calls that the model did not finish. `stepId` absent: those of all steps. */
  abandon(stepId?: EntryId): SessionUpdate[] {
    const ids = [...this.#begun].filter(([, step]) => stepId === undefined || step === stepId).map(([id]) => id)
    return ids.map((toolCallId) => {
      this.#begun.delete(toolCallId)
      return { sessionUpdate: 'tool_call_update', toolCallId, status: 'failed', content: [textContent(UNFINISHED)] }
    })
  }

  /** Also announces a plan that needs approval: a request must not name a call that was not announced. */
  announce(toolCallId: ToolCallId): SessionUpdate[] {
    const call = this.#calls.get(toolCallId)
    if (call === undefined || call.isAnnounced) return []
    call.isAnnounced = true
    return [{ sessionUpdate: 'tool_call', ...call.announcement }]
  }

  started(toolCallId: ToolCallId, isPast: boolean): SessionUpdate[] {
    const call = this.#calls.get(toolCallId)
    if (call === undefined) return []
    call.isRunning = true
    return isPast || !call.isAnnounced ? [] : [this.#inProgress(toolCallId, call)]
  }

  running(): SessionUpdate[] {
    return [...this.#calls].flatMap(([toolCallId, call]) =>
      call.isRunning && call.isAnnounced ? [this.#inProgress(toolCallId, call)] : [],
    )
  }

  /** Sent once the client knows that the call is running. */
  embed(toolCallId: ToolCallId, terminalId: string): SessionUpdate[] {
    this.#terminals.set(toolCallId, terminalId)
    const call = this.#calls.get(toolCallId)
    return call?.isAnnounced === true && call.isRunning ? [this.#inProgress(toolCallId, call)] : []
  }

  released(toolCallId: ToolCallId): void {
    this.#terminals.delete(toolCallId)
  }

  /** An update replaces the content of a call. Clients of profile seed append it instead. */
  progress(toolCallId: ToolCallId, text: string): SessionUpdate[] {
    const call = this.#calls.get(toolCallId)
    if (call?.isAnnounced !== true || this.#terminals.has(toolCallId)) return []
    call.hasToldOutput = true
    const content = this.#profile === 'seed' ? [textContent(text)] : [...call.diffs, this.#toContent(call, text)]
    return [{ sessionUpdate: 'tool_call_update', toolCallId, status: 'in_progress', content }]
  }

  settled(toolCallId: ToolCallId, { status, output, meta }: CallEnd): SessionUpdate[] {
    const call = this.#calls.get(toolCallId)
    this.#calls.delete(toolCallId)
    if (call === undefined) return []
    const isCompleted = status === 'completed'
    const plan: SessionUpdate[] =
      isCompleted && call.plan !== undefined ? [{ sessionUpdate: 'plan', entries: call.plan }] : []
    if (!call.isAnnounced) return plan
    const { title, kind } = call.announcement
    const isTold = this.#profile === 'seed' && call.hasToldOutput
    const shown = outputContent(output, {
      imageBytes: this.#imageBytes,
      toContent: (text) => this.#toContent(call, text),
    })
    const content = [...(isCompleted ? call.diffs : []), ...shown]
    const end: SessionUpdate = {
      sessionUpdate: 'tool_call_update',
      toolCallId,
      ...(call.outlivesPrompt && this.#profile === 'standard' && { title, kind }),
      status: isCompleted ? 'completed' : 'failed',
      ...(!isTold && { content }),
      ...(meta && { _meta: { [RESULT_META]: meta } }),
    }
    return [end, ...plan]
  }

  #toContent({ isVerbatim }: ShownCall, text: string): ToolCallContent {
    return isVerbatim && this.#profile === 'standard' ? verbatimContent(text) : textContent(text)
  }

  #inProgress(toolCallId: ToolCallId, { diffs }: ShownCall): SessionUpdate {
    const terminalId = this.#terminals.get(toolCallId)
    return {
      sessionUpdate: 'tool_call_update',
      toolCallId,
      status: 'in_progress',
      ...(terminalId !== undefined && { content: [...diffs, { type: 'terminal', terminalId }] }),
    }
  }
}
