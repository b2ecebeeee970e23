import type { BlockDelta, Engine, Recorded, SessionId, UserId } from '@polylogue/engine'
import { toTurn } from '../fold/session-fold.ts'
import type { TurnProjection } from '../wire.ts'
import { MarkedProjection, ROOT, isRowOf, type ProjectionMarks, type RowMark } from './projection-marks.ts'
import type { ProjectedOutput } from './projected-output.ts'
import { withoutMemories } from './for-guests.ts'
import type { Describe } from './scene.ts'

export interface RowsAsked {
  readonly userId: UserId
  readonly sessionId: SessionId
  /** Default: the session's own agent. */
  readonly loop?: string | undefined
  /** Rows before this one. Default: the last ones. */
  readonly before?: number | undefined
  /** The page that holds this turn, by the id of the turn or of its entry. Pages are counted from the first row. */
  readonly of?: string | undefined
  readonly limit: number
  /** The session as it was after this event. */
  readonly at?: number | undefined
}

/** A turn of the chat. */
export interface ShownRow {
  /** Its place. Absent for turns that a row contains: those of sub-agents, and answers to questions. */
  readonly row?: number
  /** The event that began it. */
  readonly seq: number
  readonly run?: string
  readonly via?: string
  readonly turn: TurnProjection
}

export interface RowPage {
  readonly rows: readonly ShownRow[]
  readonly total: number
  /** The last event that was read. */
  readonly seq: number
  /** The number of the last patch. */
  readonly patch: number
}

interface Group {
  readonly row: number
  readonly rows: Map<string, ShownRow>
}

interface Pass {
  readonly groups: readonly Group[]
  readonly total: number
  readonly seq: number
  readonly patch: number
  readonly isOwn: boolean
}

interface PassOptions {
  readonly from: RowMark | undefined
  readonly most: number
  /** Rows from this one on are not wanted. */
  readonly until?: number
  /** Stops at the row that holds this turn. */
  readonly of?: string | undefined
}

/** Reads pages of a session's chat. A page costs the events since the last mark before it, not the whole log. */
export class RowReader {
  readonly #engine: Pick<Engine, 'attach'>
  readonly #describe: Describe
  readonly #marks: ProjectionMarks

  constructor(engine: Pick<Engine, 'attach'>, describe: Describe, marks: ProjectionMarks) {
    this.#engine = engine
    this.#describe = describe
    this.#marks = marks
  }

  async read(asked: RowsAsked): Promise<RowPage> {
    const { sessionId, limit, loop = ROOT, at = Infinity } = asked
    await this.#marks.load(sessionId)
    const find = (row: number): RowMark | undefined =>
      loop === ROOT
        ? this.#marks.find(sessionId, ({ projection, rows }) => projection.seq <= at && rows <= row)
        : undefined
    const tail = await this.#pass(asked, { from: find(Infinity), most: limit })
    const { total, seq, patch } = tail
    const before = Math.min(total, asked.of === undefined ? (asked.before ?? total) : await this.#pageOf(asked, total))
    const first = Math.max(0, before - limit)
    const isRead = before === total && (tail.groups[0]?.row ?? total) <= first
    const { groups } = isRead ? tail : await this.#pass(asked, { from: find(first), most: Infinity, until: before })
    const wanted = groups.filter(({ row }) => row >= first && row < before)
    const rows = wanted.flatMap((group) => [...group.rows.values()])
    return { rows: tail.isOwn ? rows : rows.map(forGuest), total, seq, patch }
  }

  async #pageOf(asked: RowsAsked, total: number): Promise<number> {
    const { groups } = await this.#pass(asked, { from: undefined, most: 1, of: asked.of })
    const found = groups.find(({ rows }) => [...rows.values()].some(({ turn }) => isTurn(turn, asked.of)))
    return found === undefined ? total : (Math.floor(found.row / asked.limit) + 1) * asked.limit
  }

  async #pass(asked: RowsAsked, { from, most, until = Infinity, of }: PassOptions): Promise<Pass> {
    const { userId, sessionId, loop = ROOT, at = Infinity } = asked
    const marked = new MarkedProjection({ sessionId, from }, this.#describe, this.#marks)
    const { projection } = marked
    const groups: Group[] = []
    let total = loop === ROOT ? (from?.rows ?? 0) : 0
    let isDone = false
    const begin = (turn: TurnProjection): void => {
      const isRow = isRowOf(turn, loop)
      // A row of the session's own agent holds the turns of its sub-agents.
      if (!isRow && turn.loop_id !== loop && loop !== ROOT) return
      if (isRow) groups.push({ row: total++, rows: new Map() })
      if (groups.length > most) groups.shift()
      const row = { ...(isRow && { row: total - 1 }), seq: projection.seq, ...marked.origin, turn }
      groups.at(-1)?.rows.set(turn.turn_id, row)
      isDone ||= isTurn(turn, of)
    }
    const take = (outputs: readonly ProjectedOutput[]): void => {
      for (const output of outputs) {
        // One event begins all turns of a seeded history.
        if (isDone) return
        if (output.event === 'turn:start') begin(toTurn(output.payload))
        else if (output.event === 'turn:end') replace(groups, toTurn(output.payload))
      }
    }
    const reader = {
      recorded(recorded: Recorded) {
        if (isDone || recorded.seq > at) return 'enough' as const
        take(marked.apply(recorded))
        // A row can change after a later one began: a change of mode is a row of its own in the middle of a step.
        const isWhole = (): boolean => !projection.turns.some(({ turn_id }) => findRow(groups, turn_id, until))
        isDone ||= recorded.seq >= at || (total > until && isWhole())
        return isDone ? ('enough' as const) : undefined
      },
      delta(delta: BlockDelta) {
        if (isDone) return
        take(projection.settle())
        projection.delta(delta)
      },
      closed: () => undefined,
    }
    const attachment = await this.#engine.attach(userId, sessionId, {
      after: { seq: projection.seq },
      reader,
      as: 'guest',
    })
    attachment.detach()
    marked.save()
    take(projection.settle())
    for (const turn of projection.turns) replace(groups, turn)
    const isOwn = projection.facts?.userId === userId
    return { groups, total, seq: projection.seq, patch: projection.patchSequence, isOwn }
  }
}

const forGuest = (row: ShownRow): ShownRow => ({ ...row, turn: withoutMemories(row.turn) })

const isTurn = ({ id, turn_id }: TurnProjection, wanted: string | undefined): boolean =>
  wanted !== undefined && (id === wanted || turn_id === wanted)

const findRow = (groups: readonly Group[], turnId: string, before = Infinity): Group | undefined =>
  groups.findLast(({ row, rows }) => row < before && rows.has(turnId))

function replace(groups: readonly Group[], turn: TurnProjection): void {
  const rows = findRow(groups, turn.turn_id)?.rows
  const known = rows?.get(turn.turn_id)
  if (known !== undefined) rows?.set(turn.turn_id, { ...known, turn })
}
