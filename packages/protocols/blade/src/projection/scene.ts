import type { ClientTool, Preset, TurnSettings, UserContent } from '@polylogue/engine'
import type { MemoryRef } from '../wire.ts'
import { OpenLoops } from './open-loops.ts'
import type { Plan } from './plan-status.ts'
import { TurnBoard, type BoardOptions } from './turn-board.ts'

/** What the log does not say of agents and tools. Contract: cheap, never throws. */
export interface Describe {
  /** How a tool is called where people see it. */
  toolTitle(agent: string, tool: string): string | undefined
  /** In tokens; `undefined` where it is not known. `model` is `provider/model`. */
  contextWindow(agent: string, model: string | undefined): number | undefined
  /** Where a session works. */
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
  /** What its agent said last. */
  said: string
  /** Its newest step failed, and its turn says why. */
  hasToldFailure: boolean
  /** Recalled for its first step. */
  memories?: readonly MemoryRef[] | undefined
}

export interface AdmittedInput {
  readonly turnId: string
  readonly content: UserContent
  readonly settings: TurnSettings
}

/** Where a session stands while its log is told as Blade tells it. */
export class Scene {
  readonly board: TurnBoard
  readonly loops: OpenLoops
  readonly describe: Describe
  readonly inputs = new Map<string, AdmittedInput>()
  facts: SessionFacts
  run: Run | undefined
  /** The run has ended, its turn waits for somebody. */
  isWaiting = false
  /** How a turn ends that was waiting. */
  ending: 'stopped' | 'superseded' | undefined
  plan: Plan | undefined
  /** `undefined`: nobody has named it or said anything. */
  title: string | undefined
  /** It was made of what the user said and has not been told. */
  isTitleNew = false
  /** Seqs at which the turns of the agent's own loop began, those that no compaction has put away. */
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

  /** Whoever stopped it wants it to end, not to go on. */
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
