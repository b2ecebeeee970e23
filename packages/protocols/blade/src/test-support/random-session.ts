import { asToolCallId, type CallAnswer, type ModelOutput, type SessionReader } from '@polylogue/engine'
import {
  calls,
  createAgentTool,
  createFakeClock,
  createFakeTool,
  createMemoryMarkStore,
  createTestEngine,
  finishes,
  says,
  thinks,
  untilQuiet,
  useSession,
  type FakeStep,
  type TestSession,
} from '@polylogue/testkit'
import fc from 'fast-check'
import { SessionFold } from '../fold/session-fold.ts'
import { ProjectionMarks } from '../projection/projection-marks.ts'
import { RowReader, type RowPage } from '../projection/row-reader.ts'
import { readTurns } from '../projection/read-turns.ts'
import { SessionProjection } from '../projection/session-projection.ts'
import type { z } from 'zod'
import { describeIssue } from '../schema/describe-issue.ts'
import { serverEventSchemas } from '../schema/server-events.ts'
import type { BladeOutput, TurnProjection } from '../wire.ts'
import { createAskTool } from './ask-tool.ts'
import { createScripts } from './create-scripts.ts'
import { findBreaches } from './find-breaches.ts'
import { plainDescribe, watchSession, type Watched } from './watch-session.ts'

/** What a model does in one step. */
type Act =
  | { readonly act: 'say' | 'think'; readonly text: string }
  /** Long enough for what it said to go out. */
  | { readonly act: 'wait' }
  | { readonly act: 'call'; readonly tool: 'quick' | 'boom' | 'gated' | 'AskUserQuestion' | 'nowhere' }
  | { readonly act: 'delegate'; readonly script: readonly Step[] }
  /** Somebody else looks, or leaves, or wants it to stop. */
  | { readonly act: 'watch' | 'stop' | 'queue' | 'plan' }

interface Step {
  readonly acts: readonly Act[]
  readonly end: 'stop' | 'token-limit' | 'refused' | 'fail' | 'cut'
}

/** What the user does when the session rests. */
export interface Move {
  readonly script: readonly Step[]
  readonly mode: 'planning' | 'executing' | undefined
  /** As often as it waits, one of these. */
  readonly whenWaiting: readonly ('grant' | 'deny' | 'answer' | 'supersede' | 'stop')[]
}

const text = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }) },
  { weight: 1, arbitrary: fc.constant('long '.repeat(4_000)) },
)

const plainAct = fc.oneof(
  { weight: 6, arbitrary: fc.record({ act: fc.constantFrom('say', 'think'), text }) },
  { weight: 3, arbitrary: fc.constant({ act: 'wait' } as const) },
  {
    weight: 3,
    arbitrary: fc.record({
      act: fc.constant('call'),
      tool: fc.constantFrom('quick', 'boom', 'gated', 'AskUserQuestion', 'nowhere'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constantFrom('watch', 'stop', 'queue', 'plan') }) },
) as fc.Arbitrary<Act>

const end = fc.oneof(
  { weight: 8, arbitrary: fc.constant('stop' as const) },
  { weight: 1, arbitrary: fc.constantFrom('token-limit', 'refused', 'fail', 'cut') },
) as fc.Arbitrary<Step['end']>

const { script } = fc.letrec<{ script: readonly Step[]; act: Act }>((tie) => ({
  act: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 9, arbitrary: plainAct },
    { weight: 1, arbitrary: fc.record({ act: fc.constant('delegate'), script: tie('script') }) as fc.Arbitrary<Act> },
  ),
  script: fc.array(fc.record({ acts: fc.array(tie('act'), { maxLength: 7 }), end }), { minLength: 1, maxLength: 3 }),
}))

export const moves: fc.Arbitrary<readonly Move[]> = fc.array(
  fc.record({
    script,
    mode: fc.constantFrom(undefined, undefined, 'planning', 'executing'),
    whenWaiting: fc.array(fc.constantFrom('grant', 'deny', 'answer', 'supersede', 'stop'), { maxLength: 6 }),
  }),
  { minLength: 1, maxLength: 3 },
) as fc.Arbitrary<readonly Move[]>

/** Plays a whole session and answers what it broke. */
export async function playSession(plan: readonly Move[]): Promise<readonly string[]> {
  const clock = createFakeClock()
  const scripts: Record<string, readonly FakeStep[]> = {}
  const late: Watched[] = []
  let names = 0
  const test = createTestEngine({
    clock,
    model: createScripts(scripts),
    tools: [
      createAgentTool(),
      createAskTool(),
      createFakeTool('quick'),
      createFakeTool('boom', { run: () => Promise.reject(new Error('boom')) }),
      createFakeTool('gated', { effect: 'unsafe' }),
    ],
  })
  const access = { type: 'preset' } as const
  const create = { type: 'create-session', userId: test.user, agent: 'tester', access } as const
  const { sessionId } = await test.engine.execute(create)
  const session = useSession(test, sessionId)
  const watched = await watchSession(test.engine, test.user, sessionId)

  const write = (steps: readonly Step[]): string => {
    const prompt = `script ${++names}`
    scripts[prompt] = steps.map(writeStep)
    return prompt
  }
  function writeStep({ acts, end: ending }: Step): FakeStep {
    const step: FakeStep[number][] = acts.map((act): FakeStep[number] => {
      switch (act.act) {
        case 'say':
          return says(act.text)
        case 'think':
          return thinks(act.text)
        case 'wait':
          return () => clock.advance(60)
        case 'call':
          return calls(`c${++names}`, act.tool)
        case 'delegate':
          return calls(`a${++names}`, 'Agent', { description: 'a job', prompt: write(act.script) })
        case 'watch':
          return async () => void late.push(await watchSession(test.engine, test.user, sessionId))
        case 'stop':
          return async () => void (await session.cancel(true))
        case 'queue':
          return async () => void (await session.say('queued', { whenRunning: 'queue' }).catch(() => undefined))
        case 'plan':
          return async () => configure(session)
      }
    })
    return [...step, ...endingOf(ending, acts)]
  }

  for (const { script: steps, mode, whenWaiting } of plan) {
    const settings = mode === undefined ? {} : { settings: { isPlanning: mode === 'planning' } }
    await session.say(write(steps), { ...settings, whenRunning: 'queue' })
    await session.untilRest()
    for (const choice of whenWaiting) {
      await untilQuiet()
      if ((await session.view()).status !== 'waiting') break
      await react(session, choice)
      await session.untilRest()
    }
  }
  await untilQuiet()
  if ((await session.view()).status === 'waiting') await session.cancel(true)
  await untilQuiet()
  const broken = await findProblems(session, watched, late)
  watched.detach()
  await test.engine.stop(0)
  return broken
}

function endingOf(ending: Step['end'], acts: readonly Act[]): readonly ModelOutput[] {
  const hasCalls = acts.some(({ act }) => act === 'call' || act === 'delegate')
  if (ending === 'cut') return []
  if (ending === 'fail') return [{ type: 'failed', error: { code: 'down', message: 'The model is down.' } }]
  return [finishes(ending === 'stop' && hasCalls ? 'tool-calls' : ending)]
}

async function configure(session: TestSession): Promise<void> {
  const { preset } = await session.view()
  const changes = { planning: preset !== 'plan' }
  const { user: userId, sessionId } = session
  await session.engine.execute({ type: 'configure-session', userId, sessionId, changes })
}

async function react(session: TestSession, choice: Move['whenWaiting'][number]): Promise<void> {
  const [waiting] = (await session.view()).waitingCalls
  if (choice === 'supersede') return void (await session.say('something else'))
  if (choice === 'stop' || waiting === undefined) return void (await session.cancel(true))
  const toolCallId = asToolCallId(waiting)
  const answer = { type: 'ask_user_answer', tool_call_id: waiting, selections: { '0': [0] }, custom: {} }
  const answers: Record<typeof choice, CallAnswer> = {
    grant: { type: 'approval', toolCallId, granted: true, answer },
    deny: { type: 'approval', toolCallId, granted: false, reason: 'no' },
    answer: { type: 'result', toolCallId, content: 'yes', answer },
  }
  await session.answer(answers[choice])
}

async function findProblems(
  session: TestSession,
  watched: Watched,
  late: readonly Watched[],
): Promise<readonly string[]> {
  const { engine, user: userId, sessionId } = session
  const turns = await readTurns(engine, { userId, sessionId }, plainDescribe)
  const problems = [
    ...findBreaches(watched.plain, { sequence: 0 }).map((breach) => `plain: ${breach}`),
    ...findBreaches(watched.lean, { sequence: 0 }).map((breach) => `lean: ${breach}`),
    ...compareFold('folded from patches', sessionId, watched.lean, turns, false),
    ...compareFold('folded with snapshots', sessionId, watched.plain, turns, true),
  ]
  for (const { event, payload } of [...watched.plain, ...watched.lean]) {
    const schema: z.ZodType = serverEventSchemas[event]
    const { error } = schema.safeParse(payload)
    if (error !== undefined) problems.push(`${event} does not fit its schema: ${describeIssue(error.issues[0], event)}`)
  }
  const expected = turns.map((_, index) => index)
  const numbers = turns.map(({ sequence }) => sequence)
  if (JSON.stringify(numbers) !== JSON.stringify(expected)) problems.push(`turns are numbered ${numbers.join(' ')}`)
  const fromLog = await countFromLog(session)
  if (fromLog !== watched.projection.patchSequence) {
    problems.push(`the log comes to patch ${fromLog}, what was told to ${watched.projection.patchSequence}`)
  }
  problems.push(...(await comparePages(session, turns)))
  for (const other of late) {
    // A reader that attaches in the middle of a step learns the number of batches with the next one.
    const tail = other.lean.map(withoutNumber)
    const all = watched.lean.map(withoutNumber)
    if (JSON.stringify(all.slice(all.length - tail.length)) !== JSON.stringify(tail)) {
      problems.push('who came late was told something else')
    }
    // It has read the history, and the turns that stream come once more.
    const extras = { session_id: sessionId, solution_id: null, template_id: null }
    const opening = other.start.map((turn) => ({ event: 'turn:start', payload: { ...extras, ...turn } }) as const)
    problems.push(
      ...compareFold('folded by who came late', sessionId, [...opening, ...renumbered(other.lean)], turns, false),
    )
    other.detach()
  }
  return problems
}

/** Pages that are read from marks hold what a reader of the whole log sees, now and at every event. */
async function comparePages(
  { engine, user: userId, sessionId }: TestSession,
  turns: readonly TurnProjection[],
): Promise<readonly string[]> {
  const far = new RowReader(engine, plainDescribe, new ProjectionMarks({ spacing: Infinity }))
  const store = createMemoryMarkStore({ readHead: async () => ({ userId, lastSeq: 1 }) })
  const near = new RowReader(engine, plainDescribe, new ProjectionMarks({ spacing: 3, store }))
  const read = async (reader: RowReader, at?: number): Promise<readonly RowPage[]> => {
    const pages: RowPage[] = []
    for (let before: number | undefined; before !== 0;) {
      const page = await reader.read({
        userId,
        sessionId,
        limit: 4,
        ...(before !== undefined && { before }),
        ...(at && { at }),
      })
      pages.unshift(page)
      before = page.rows.find(({ row }) => row !== undefined)?.row ?? 0
    }
    return pages
  }
  const pages = await read(near)
  const paged = pages.flatMap(({ rows }) => rows.map(({ turn }) => turn))
  const problems = JSON.stringify(paged) === JSON.stringify(turns) ? [] : ['the pages are not the history']
  const last = pages[0]?.seq ?? 1
  for (const at of [Math.ceil(last / 3), Math.ceil(last / 2), last - 1]) {
    if (JSON.stringify(await read(near, at)) !== JSON.stringify(await read(far, at)))
      problems.push(`at ${at} pages differ`)
  }
  const restarted = new RowReader(engine, plainDescribe, new ProjectionMarks({ spacing: Infinity, store }))
  const after = [await read(restarted), await read(restarted, Math.ceil(last / 2))]
  if (JSON.stringify(after) !== JSON.stringify([await read(far), await read(far, Math.ceil(last / 2))]))
    problems.push('the pages after a restart differ')
  return problems
}

const withoutNumber = (output: BladeOutput): string =>
  JSON.stringify(output, (key, value: unknown) => (key === 'sequence' ? undefined : value))

function renumbered(outputs: readonly BladeOutput[]): readonly BladeOutput[] {
  let sequence = 0
  return outputs.map((output) =>
    output.event === 'turn:patch' ? { ...output, payload: { ...output.payload, sequence: ++sequence } } : output,
  )
}

/** Only of the turns that it was told of. */
function compareFold(
  what: string,
  sessionId: string,
  outputs: readonly BladeOutput[],
  turns: readonly TurnProjection[],
  usesSnapshots: boolean,
): readonly string[] {
  const fold = new SessionFold(sessionId, { usesSnapshots })
  for (const output of outputs) fold.apply(output)
  const known = new Map(turns.map((turn) => [turn.turn_id, JSON.stringify(sorted(turn))]))
  const wrong = fold.turns.filter((turn) => known.get(turn.turn_id) !== JSON.stringify(sorted(turn)))
  return [...wrong.map(({ turn_id }) => `${what}: ${turn_id} differs`), ...(fold.isDirty ? [`${what}: dirty`] : [])]
}

const sorted = (turn: TurnProjection): unknown =>
  Object.fromEntries(Object.entries(turn).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** The number of the newest patch for who reads the log alone. */
async function countFromLog({ engine, user, sessionId }: TestSession): Promise<number> {
  const projection = new SessionProjection(plainDescribe)
  const reader: SessionReader = {
    recorded: (recorded) => void projection.apply(recorded),
    delta: () => undefined,
    closed: () => undefined,
  }
  const attachment = await engine.attach(user, sessionId, { after: { seq: 0 }, reader })
  attachment.detach()
  projection.settle()
  return projection.patchSequence
}
