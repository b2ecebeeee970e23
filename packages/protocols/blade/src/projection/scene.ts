import type { ClientTool, Preset, TurnSettings, UserContent } from '@polylogue/engine'
import type { MemoryRef } from '../wire.ts'
import { OpenLoops } from './open-loops.ts'
import type { Plan } from './plan-status.ts'
import { TurnBoard, type BoardOptions } from './turn-board.ts'

/** Facts about agents and tools that the log does not contain. Contract: cheap, never throws. */
export interface Describe {
  /** The display name of a tool. */
  toolTitle(agent: string, tool: string): string | undefined
  /** In tokens. `undefined`: unknown. `model` is `provider/model`. */
  contextWindow(agent: string, model: string | undefined): number | undefined
  /** The working directory of a session. */
  directoryOf(session: WorkingSession): string | undefined
}

export interface WorkingSession {
  readonly sessionId: string
  readonly userId: string
  readonly agent: string
  readonly directories: readonly string[]
}

export interface SessionFacts extends WorkingSession {
  readonly preset: Preset
  readonly clientTools: readonly ClientTool[]
  readonly isShared: boolean
}

export interface Run {
  readonly turnId: string
  readonly settings: TurnSettings
  isCancelled: boolean
  /** The agent's last text. */
  said: string
  /** The last step failed, and its turn shows the reason. */
  hasToldFailure: boolean
  /** Memories that were recalled for the first step. */
  memories?: readonly MemoryRef[] | undefined
}

export interface AdmittedInput {
  readonly turnId: string
  readonly content: UserContent
  readonly settings: TurnSettings
}

/** The state of a session during the projection of its log. */
export class Scene {
  readonly board: TurnBoard
  readonly loops: OpenLoops
  readonly describe: Describe
  readonly inputs = new Map<string, AdmittedInput>()
  facts: SessionFacts
  run: Run | undefined
  /** The run has ended, and its turn waits for an answer. */
  isWaiting = false
  /** How a waiting turn ends. */
  ending: 'stopped' | 'superseded' | undefined
  plan: Plan | undefined
  /** `undefined`: the session has neither a name nor an input. */
  title: string | undefined
  /** The title comes from the first input and is not sent yet. */
  isTitleNew = false
  /** The first seqs of the root loop's turns that no compaction has replaced. */
  begun: number[] = []

  constructor(facts: SessionFacts, describe: Describe, options: BoardOptions) {
    this.facts = facts
    this.describe = describe
    this.board = new TurnBoard(facts, options)
    this.loops = new OpenLoops(facts.agent)
  }

  get isPlanning(): boolean {
    return this.facts.preset === 'plan'
  }

  /** The user stopped the session. */
  get isStopping(): boolean {
    return this.ending === 'stopped' || this.run?.isCancelled === true
  }

  displayName(agent: string, tool: string): string {
    const ofClient = this.facts.clientTools.find(({ name }) => name === tool)?.title
    return this.describe.toolTitle(agent, tool) ?? ofClient ?? tool
  }

  contextWindow(agent: string, model?: string): number | null {
    return this.describe.contextWindow(agent, model) ?? null
  }
}
