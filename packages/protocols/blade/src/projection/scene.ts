import type { ClientTool, Preset, TurnSettings, UserContent } from '@polylogue/engine'
import type { MemoryRef } from '../wire.ts'
import { OpenLoops, type Loop } from './open-loops.ts'
import type { Plan } from './plan-status.ts'
import { TurnBoard, type BoardOptions, type BoardState } from './turn-board.ts'

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

/** A scene between two appends. It never changes. */
export interface SceneState {
  readonly facts: SessionFacts
  readonly board: BoardState
  readonly loops: readonly Loop[]
  readonly inputs: ReadonlyMap<string, AdmittedInput>
  readonly run: Run | undefined
  readonly isWaiting: boolean
  readonly ending: Scene['ending']
  readonly plan: Plan | undefined
  readonly title: string | undefined
  readonly isTitleNew: boolean
  /** The first `begunCount` of these. The scene only adds to the list, or replaces it. */
  readonly begun: readonly number[]
  readonly begunCount: number
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

  get state(): SceneState {
    const { facts, inputs, run, isWaiting, ending, plan, title, isTitleNew } = this
    const open = structuredClone({ loops: this.loops.all, inputs, run, plan })
    const begun = { begun: this.begun, begunCount: this.begun.length }
    return { facts, board: this.board.state, ...open, isWaiting, ending, title, isTitleNew, ...begun }
  }

  static from(state: SceneState, describe: Describe, options: BoardOptions): Scene {
    const scene = new Scene(state.facts, describe, options)
    scene.board.restore(state.board)
    const { loops, inputs, run, plan } = structuredClone({
      loops: state.loops,
      inputs: state.inputs,
      run: state.run,
      plan: state.plan,
    })
    for (const loop of loops) scene.loops.add(loop)
    for (const [id, input] of inputs) scene.inputs.set(id, input)
    scene.run = run
    scene.plan = plan
    scene.isWaiting = state.isWaiting
    scene.ending = state.ending
    scene.title = state.title
    scene.isTitleNew = state.isTitleNew
    scene.begun = state.begun.slice(0, state.begunCount)
    return scene
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
