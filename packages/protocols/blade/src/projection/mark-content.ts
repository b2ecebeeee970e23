/**
 * How a mark is stored: as JSON, and only where the session rests, because then no turn, call or input is open. A mark says
 * what has changed since the mark before it, its `base`. Long values such as the tools of a client are so stored once. A
 * mark whose base is missing is not used.
 */
import { ROOT_LOOP, type MarkKind, type StoredMark } from '@polylogue/engine'
import { z } from 'zod'
import { sessionSchema } from '../schema/session.ts'
import type { RowMark } from './projection-marks.ts'

/** Raise the format when a change of the projection gives other rows, or other numbers of patches, for the same log. */
export const MARK_KIND: MarkKind = { door: 'blade', format: 1 }

const clientTool = z.object({
  name: z.string(),
  title: z.string().optional(),
  description: z.string(),
  parameters: z.record(z.string(), z.json()),
})

const resting = z.object({
  facts: z.object({
    sessionId: z.string(),
    userId: z.string(),
    agent: z.string(),
    preset: z.enum(['read-only', 'workspace-write', 'full-access', 'plan']),
    clientTools: z.array(clientTool),
    directories: z.array(z.string()),
    isShared: z.boolean(),
  }),
  lastStatus: sessionSchema.shape.status,
  title: z.string().nullable(),
  plan: z
    .object({
      status: z.enum(['draft', 'proposed', 'approved', 'in_progress', 'done']),
      steps: z.array(z.object({ title: z.string(), status: z.string() })).optional(),
    })
    .nullable(),
  origin: z.object({ run: z.string(), via: z.string().optional() }).nullable(),
  rows: z.int(),
  opened: z.int(),
  patches: z.int(),
  batches: z.int(),
})

const written = z.object({
  base: z.int().optional(),
  /** Of the turns that began up to the base, those from this seq on still count; and those that began since. */
  begun: z.object({ from: z.int(), added: z.array(z.int()) }),
  changed: resting.partial(),
})

interface Known {
  readonly mark: RowMark
  readonly state: z.output<typeof resting>
  /** Shared by the marks after it, as long as no compaction shortens it. */
  readonly begun: number[]
}

export function isAtRest({ projection, waiting }: RowMark): boolean {
  const { scene, heldAnswer, heldEnd } = projection
  const { board, inputs, loops, run, isWaiting, ending, isTitleNew } = scene
  const isOpen = run !== undefined || isWaiting || ending !== undefined || isTitleNew || heldAnswer !== undefined
  const open = heldEnd.length + board.turns.length + board.untold.length + inputs.size + waiting.size
  return !isOpen && open === 0 && loops.every(({ loopId, step }) => loopId === ROOT_LOOP && step === undefined)
}

/** Contract: both marks rest. */
export function toStoredMark(mark: RowMark, base: RowMark | undefined): StoredMark {
  const { seq } = mark.projection
  const before: Readonly<Record<string, unknown>> = base === undefined ? {} : toResting(base)
  const changed = Object.entries(toResting(mark)).filter(
    ([name, value]) => JSON.stringify(before[name]) !== JSON.stringify(value),
  )
  const begun = begunOf(mark)
  const since = base?.projection.seq ?? 0
  const content = {
    ...(base && { base: since }),
    begun: { from: begun[0] ?? seq, added: begun.filter((one) => one > since) },
    changed: Object.fromEntries(changed),
  }
  return { seq, content: JSON.stringify(content) }
}

/** The marks that can be used, in the same order. */
export function fromStoredMarks(stored: readonly StoredMark[]): readonly RowMark[] {
  const known = new Map<number, Known>()
  for (const one of stored) {
    const read = fromStored(one, known)
    if (read !== undefined) known.set(one.seq, read)
  }
  return [...known.values()].map(({ mark }) => mark)
}

function fromStored({ seq, content }: StoredMark, known: ReadonlyMap<number, Known>): Known | undefined {
  const parsed = written.safeParse(parseJson(content))
  if (!parsed.success) return undefined
  const { changed } = parsed.data
  const base = parsed.data.base === undefined ? undefined : known.get(parsed.data.base)
  if (parsed.data.base !== undefined && base === undefined) return undefined
  const whole = base === undefined ? resting.safeParse(changed) : { data: { ...base.state, ...changed } }
  if (whole.data === undefined) return undefined
  const begun = continueBegun(base, parsed.data.begun)
  return { state: whole.data, begun, mark: toMark(seq, whole.data, begun) }
}

function continueBegun(base: Known | undefined, { from, added }: z.output<typeof written>['begun']): number[] {
  if (base === undefined) return [...added]
  const isWhole = begunOf(base.mark).length === base.begun.length && from <= (base.begun[0] ?? from)
  const begun = isWhole ? base.begun : begunOf(base.mark).filter((one) => one >= from)
  for (const one of added) begun.push(one)
  return begun
}

function toMark(seq: number, state: Known['state'], begun: readonly number[]): RowMark {
  const { facts, lastStatus, title, plan, origin, rows, opened, patches, batches } = state
  const scene = {
    facts,
    board: { turns: [], untold: [], opened, patches, batches },
    loops: [{ loopId: ROOT_LOOP, agent: facts.agent, description: '' }],
    inputs: new Map(),
    run: undefined,
    isWaiting: false,
    ending: undefined,
    plan: plan ?? undefined,
    title: title ?? undefined,
    isTitleNew: false,
    begun,
    begunCount: begun.length,
  }
  return {
    projection: { seq, scene, lastStatus, heldAnswer: undefined, heldEnd: [] },
    rows,
    origin: origin ?? undefined,
    waiting: new Map(),
  }
}

function toResting({ projection, rows, origin }: RowMark): Readonly<Record<keyof Known['state'], unknown>> {
  const { scene, lastStatus } = projection
  const { facts, board, title = null, plan = null } = scene
  const { opened, patches, batches } = board
  return { facts, lastStatus, title, plan, origin: origin ?? null, rows, opened, patches, batches }
}

const begunOf = ({ projection: { scene } }: RowMark): number[] => scene.begun.slice(0, scene.begunCount)

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
