/**
 * Projects a session's log to Blade's turns, patches and events. It has no side effects. Each recorded event always gives
 * the same patches, so their numbers are the same for every reader.
 *
 * Two outputs depend on later events of the same append, so they are held back. The end of a waiting turn is sent after the
 * start of the run that superseded it. A call that needs approval is declared as waiting. `settle` says that the append
 * has ended.
 */
import {
  unreachable,
  type BlockDelta,
  type EventOf,
  type LiveBatch,
  type Recorded,
  type RecordedEvent,
} from '@polylogue/engine'
import type { SessionStatus, TurnPayload, TurnProjection } from '../wire.ts'
import { findQuestion, type OpenQuestion } from './open-question.ts'
import { pauseIfStuck, requestApproval, resolveApproval, settleCall, startCall } from './project-calls.ts'
import { endCompaction, startCompaction } from './project-compactions.ts'
import {
  admitInput,
  beginRun,
  changeInput,
  configure,
  dropInput,
  endRun,
  pauseRun,
  resumeRun,
  projectInput,
  type Moment,
} from './project-runs.ts'
import { answerStep, endStep, startLoop, startStep } from './project-steps.ts'
import type { ProjectedOutput } from './projected-output.ts'
import { Scene, type Describe, type SceneState, type SessionFacts } from './scene.ts'
import { takeSeed } from './take-seed.ts'
import { toEndStatus } from './session-status.ts'
import { addBatch, addTextSoFar } from './step-text.ts'
import { toMemoryRef } from './memory-ref.ts'
import type { BoardOptions } from './turn-board.ts'

interface HeldAnswer extends Moment {
  readonly event: EventOf<'step.answered'>
  readonly approvals: EventOf<'approval.requested'>[]
}

/** Where a projection stands. Another one can go on from there. */
export interface ProjectionMark {
  readonly seq: number
  readonly scene: SceneState
  readonly lastStatus: SessionStatus
  readonly heldAnswer: HeldAnswer | undefined
  readonly heldEnd: readonly Recorded[]
}

export class SessionProjection {
  readonly #describe: Describe
  readonly #options: BoardOptions
  #scene: Scene | undefined
  #seq = 0
  #lastStatus: SessionStatus = 'created'
  #heldAnswer: HeldAnswer | undefined
  /** The end of a superseded turn. The same append records the start of the next run. */
  #heldEnd: Recorded[] = []

  constructor(describe: Describe, options: BoardOptions = { keep: 'all' }) {
    this.#describe = describe
    this.#options = options
  }

  /** Contract: the outputs were taken. `undefined` before the first event. */
  mark(): ProjectionMark | undefined {
    if (this.#scene === undefined) return undefined
    const held = this.#heldAnswer
    return {
      seq: this.#seq,
      scene: this.#scene.state,
      lastStatus: this.#lastStatus,
      heldAnswer: held && { ...held, approvals: [...held.approvals] },
      heldEnd: [...this.#heldEnd],
    }
  }

  static from(mark: ProjectionMark, describe: Describe, options: BoardOptions): SessionProjection {
    const made = new SessionProjection(describe, options)
    made.#scene = Scene.from(mark.scene, describe, options)
    made.#seq = mark.seq
    made.#lastStatus = mark.lastStatus
    made.#heldAnswer = mark.heldAnswer && { ...mark.heldAnswer, approvals: [...mark.heldAnswer.approvals] }
    made.#heldEnd = [...mark.heldEnd]
    return made
  }

  /** The seq of the last event read. */
  get seq(): number {
    return this.#seq
  }

  get status(): SessionStatus {
    if (this.#scene?.isWaiting === true) return 'waiting_for_input'
    return this.#scene?.run === undefined ? this.#lastStatus : 'running'
  }

  /** Between two turns: nothing runs, waits or is held back. */
  get isResting(): boolean {
    const scene = this.#scene
    return scene !== undefined && scene.run === undefined && !scene.isWaiting && this.#heldEnd.length === 0
  }

  /** All turns, or only open ones with `keep: 'open'`. */
  get turns(): readonly TurnProjection[] {
    return this.#scene?.board.turns ?? []
  }

  /** Streaming turns, as a new subscriber gets them. */
  get streaming(): readonly TurnPayload[] {
    const { board } = this.#scene ?? {}
    return board === undefined ? [] : board.turns.filter(isStreaming).map((turn) => board.toTold(turn))
  }

  /** The number of the last patch. */
  get patchSequence(): number {
    return this.#scene?.board.sequence ?? 0
  }

  get facts(): SessionFacts | undefined {
    return this.#scene?.facts
  }

  question(id: string): OpenQuestion | undefined {
    return this.#scene && findQuestion(this.#scene.loops, id)
  }

  /** Contract: pass all events in log order. */
  apply(recorded: Recorded): readonly ProjectedOutput[] {
    const { seq, at, event } = recorded
    if (this.#scene === undefined) {
      if (event.type !== 'session.created') throw new Error(`a log must begin with session.created, not ${event.type}`)
      this.#scene = createScene(event, this.#describe, this.#options)
    }
    this.#seq = seq
    const scene = this.#scene
    if (this.#hold(scene, recorded)) return scene.board.take()
    this.#releaseAnswer()
    if (event.type === 'turn.started') this.#begin(scene, event, { seq, at })
    else this.#project(scene, event, { seq, at })
    return scene.board.take()
  }

  /** Call it at the end of an append. Returns the outputs that were held back. */
  settle(): readonly ProjectedOutput[] {
    this.#releaseAnswer()
    return this.#scene?.board.take() ?? []
  }

  batch(batch: LiveBatch): readonly ProjectedOutput[] {
    if (this.#scene === undefined) return []
    this.#releaseAnswer()
    addBatch(this.#scene, batch)
    return this.#scene.board.take()
  }

  /** The text so far of a step that was running when the reader attached. Batches continue from there. */
  delta(delta: BlockDelta): void {
    if (this.#scene !== undefined) addTextSoFar(this.#scene, delta)
  }

  #begin(scene: Scene, event: EventOf<'turn.started'>, moment: Moment): void {
    beginRun(scene, event)
    // The events of the old run must not see the new run.
    const { run } = scene
    for (const held of this.#heldEnd) this.#project(scene, held.event, held)
    this.#heldEnd = []
    scene.run = run
    projectInput(scene, event, moment)
  }

  #hold(scene: Scene, recorded: Recorded): boolean {
    const { event, seq, at } = recorded
    const held = this.#heldAnswer
    if (held !== undefined && event.type === 'approval.requested' && isCallOf(held.event, event.toolCallId)) {
      held.approvals.push(event)
      return true
    }
    if (event.type === 'step.answered') {
      this.#releaseAnswer()
      this.#heldAnswer = { event, approvals: [], seq, at }
      return true
    }
    if (!scene.isWaiting || !ENDINGS.has(event.type)) return false
    scene.ending ??= isSuperseding(event) ? 'superseded' : 'stopped'
    if (scene.ending === 'superseded') this.#heldEnd.push(recorded)
    return scene.ending === 'superseded'
  }

  #releaseAnswer(): void {
    const held = this.#heldAnswer
    if (held === undefined || this.#scene === undefined) return
    this.#heldAnswer = undefined
    answerStep(this.#scene, held, held)
  }

  #project(scene: Scene, event: RecordedEvent, moment: Moment): void {
    switch (event.type) {
      case 'session.seeded':
        return takeSeed(scene, event, moment)
      case 'session.configured':
        return configure(scene, event, moment)
      case 'input.admitted':
        return admitInput(scene, event)
      case 'input.changed':
        return changeInput(scene, event)
      case 'input.dropped':
        return dropInput(scene, event)
      case 'turn.paused':
        return pauseRun(scene, moment)
      case 'turn.resumed':
        return resumeRun(scene, event)
      case 'turn.cancel-requested':
        if (scene.run !== undefined) scene.run.isCancelled = true
        return
      case 'turn.ended':
        this.#lastStatus = toEndStatus(event.outcome)
        return endRun(scene, event, moment)
      case 'step.started':
        return startStep(scene, event, moment)
      case 'step.ended':
        return endStep(scene, event, moment)
      case 'memories.recalled':
        if (scene.run !== undefined) scene.run.memories = event.memories.map(toMemoryRef)
        return
      case 'compaction.started':
        return startCompaction(scene, event, moment)
      case 'compaction.ended':
        return endCompaction(scene, event, moment)
      case 'loop.started':
        return startLoop(scene, event)
      case 'loop.ended':
        return scene.loops.remove(event.loopId)
      case 'approval.requested': {
        requestApproval(scene, event)
        const loop = scene.loops.call(event.toolCallId)?.loop
        return loop && pauseIfStuck(scene, loop, moment.at)
      }
      case 'approval.resolved':
        return resolveApproval(scene, event, moment)
      case 'tool-call.started':
        return startCall(scene, event, moment)
      case 'tool-call.settled':
        return settleCall(scene, event, moment)
      case 'session.created':
      case 'session.forked':
      case 'session.fork-deleted':
      case 'surroundings.noted':
      case 'turn.started':
      case 'step.answered':
      case 'turn.handed-over':
      case 'turn.taken-over':
      case 'compaction.requested':
      case 'tool-call.cancel-requested':
        return
      default:
        return unreachable(event)
    }
  }
}

const isStreaming = ({ status }: TurnProjection): boolean => status === 'streaming'

const ENDINGS: ReadonlySet<RecordedEvent['type']> = new Set([
  'tool-call.settled',
  'step.ended',
  'loop.ended',
  'turn.ended',
])

const isSuperseding = (event: RecordedEvent): boolean =>
  event.type === 'tool-call.settled' && event.isSuperseded === true

const isCallOf = ({ routes }: EventOf<'step.answered'>, toolCallId: string): boolean => routes[toolCallId] !== undefined

function createScene(event: EventOf<'session.created'>, describe: Describe, options: BoardOptions): Scene {
  const { sessionId, userId, agent } = event
  const { preset, clientTools, directories, title } = event.settings
  const facts = { sessionId, userId, agent, preset, clientTools, directories, isShared: false }
  const scene = new Scene(facts, describe, options)
  if (title !== undefined && title !== '') scene.title = title
  return scene
}
