import fc from 'fast-check'
import type { ModelOutput, StepFinish } from '@polylogue/engine'
import { deny, grant, result, untilQuiet } from '@polylogue/testkit'
import { EngineError } from '@polylogue/engine'
import { accessWith, type World, type WorldSession } from './world.ts'
import { readStored } from './read-stored.ts'
import { SessionModel } from './session-model.ts'

export interface MachineModel {
  readonly sessions: SessionModel[]
  /** Counts whatever needs a new name. */
  names: number
}

export type MachineCommand = fc.AsyncCommand<MachineModel, World>

const USAGE = { inputTokens: 1, outputTokens: 1 }
const MAX_SESSIONS = 2

/** What happened instead of success: the code of a refusal. A bug is thrown on. */
async function refusalOf(attempt: Promise<unknown>): Promise<string | undefined> {
  try {
    await attempt
    return undefined
  } catch (error) {
    if (error instanceof EngineError) return error.code
    throw error
  }
}

function same(what: string, actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) === JSON.stringify(expected)) return
  throw new Error(`${what}: the engine says ${JSON.stringify(actual)}, the model ${JSON.stringify(expected)}`)
}

/** After each command the engine rests, and what it shows is what the model expects. */
async function compare(models: MachineModel, world: World): Promise<void> {
  await untilQuiet()
  for (const [index, model] of models.sessions.entries()) {
    const session = world.sessions[index]
    if (session === undefined) throw new Error('every model has its session')
    if (model.isDeleted) {
      same('a deleted session', await refusalOf(world.use(session).view()), 'session-not-found')
      continue
    }
    const view = await world.use(session).view()
    same('status', view.status, model.status)
    same(
      'waiting calls',
      view.waitingCalls,
      model.waiting.map(({ id }) => id),
    )
    same('last outcome', view.lastOutcome, model.lastOutcome)
    same('model call under way', world.ask(session) !== undefined, model.isAsking)
    const running = model.turn?.calls.filter(({ phase }) => phase === 'running').map(({ id }) => id) ?? []
    same(
      'tools under way',
      world
        .runs(session)
        .map(({ toolCallId }) => toolCallId)
        .toSorted(),
      running.toSorted(),
    )
  }
}

interface Scene {
  readonly model: SessionModel
  readonly world: World
  readonly session: WorldSession
  readonly models: MachineModel
}

interface SessionCommand {
  isPossible(model: SessionModel): boolean
  act(scene: Scene): Promise<void>
}

/** A command on one session; without that session, or where `isPossible` says no, it is left out. */
function onSession(name: string, pick: number, { isPossible, act }: SessionCommand): MachineCommand {
  return {
    check: ({ sessions }) => {
      const model = sessions[pick]
      return model !== undefined && isPossible(model)
    },
    run: async (models, world) => {
      const model = models.sessions[pick]
      const session = world.sessions[pick]
      if (model === undefined || session === undefined) throw new Error('checked before')
      await act({ model, world, session, models })
      await compare(models, world)
    },
    toString: () => `${name} in ${pick}`,
  }
}

const isHere = (model: SessionModel): boolean => !model.isDeleted

const create: MachineCommand = {
  check: ({ sessions }) => sessions.length < MAX_SESSIONS,
  run: async (models, world) => {
    await world.create()
    models.sessions.push(new SessionModel())
    await compare(models, world)
  },
  toString: () => 'create',
}

interface Saying {
  readonly key: 'none' | 'new' | 'same' | 'same, other text'
  readonly whenRunning: 'refuse' | 'queue'
  readonly isPayTrusted: boolean | undefined
}

const say = (pick: number, { key, whenRunning, isPayTrusted }: Saying): MachineCommand =>
  onSession(`say (${key}, ${whenRunning}, trust ${String(isPayTrusted)})`, pick, {
    isPossible: () => true,
    act: async ({ model, world, session, models }) => {
      const known = [...model.keys].at(-1)
      const isRepeat = key.startsWith('same') && known !== undefined
      const text = key === 'same' && known !== undefined ? known[1] : `input ${++models.names}`
      const idempotency =
        key === 'none' ? undefined : { key: isRepeat ? known[0] : `key ${++models.names}`, fingerprint: text }
      const attempt = world.use(session).say(text, {
        whenRunning,
        ...(idempotency && { idempotency }),
        ...(isPayTrusted !== undefined && { changes: { access: accessWith(isPayTrusted) } }),
      })
      const expected = ((): string | undefined => {
        if (model.isDeleted) return 'session-not-found'
        if (isRepeat && key !== 'same') return 'receipt-mismatch'
        if (isRepeat && !model.dropped.has(text)) return 'repeated'
        return model.say(text, whenRunning)
      })()
      const actual = await refusalOf(attempt)
      if (expected === 'repeated') {
        same('a repeated input', [actual, (await attempt).repeated], [undefined, true])
        return
      }
      same('an input', actual, expected)
      if (expected !== undefined) return
      model.dropped.delete(text)
      if (idempotency !== undefined) model.keys.set(idempotency.key, text)
      if (isPayTrusted !== undefined) model.isPayTrusted = isPayTrusted
      session.acknowledged.push({ type: 'input', text, seq: (await attempt).seq })
    },
  })

interface Answering {
  readonly kind: 'grant' | 'deny' | 'result'
  readonly target: number
  readonly whenRunning: 'refuse' | 'accept'
}

const answer = (pick: number, { kind, target, whenRunning }: Answering): MachineCommand =>
  onSession(`${kind} call ${target} (${whenRunning})`, pick, {
    isPossible: isHere,
    act: async ({ model, world, session }) => {
      const ids = [...model.waiting.map(({ id }) => id), ...model.callIds, 'nobody']
      const id = ids[target % ids.length] ?? 'nobody'
      const expected = model.answer(id, kind, whenRunning)
      const { engine, user: userId } = world.use(session)
      const content = { grant: grant(id), deny: deny(id), result: result(id, 'from the client') }[kind]
      const actual = await refusalOf(
        engine.execute({ type: 'answer-calls', userId, sessionId: session.sessionId, answers: [content], whenRunning }),
      )
      same(`an answer to ${id}`, actual, expected)
      if (expected === undefined) session.acknowledged.push({ type: 'answer', toolCallId: id })
    },
  })

const cancel = (pick: number, dropQueue: boolean): MachineCommand =>
  onSession(`cancel${dropQueue ? ' all' : ''}`, pick, {
    isPossible: isHere,
    act: async ({ model, world, session }) => {
      const expected = model.cancel(dropQueue)
      same('a cancel', (await world.use(session).cancel(dropQueue)).cancelled, expected)
      if (expected) session.acknowledged.push({ type: 'cancel' })
    },
  })

const modelSays = (pick: number, pieces: readonly ('text' | 'thinking')[]): MachineCommand =>
  onSession(`model says ${pieces.join(' ')}`, pick, {
    isPossible: (model) => model.isAsking,
    act: async ({ world, session }) => {
      for (const [index, type] of pieces.entries()) world.ask(session)?.answer({ type, text: `${type} ${index} ` })
    },
  })

function outputsOf(
  tools: readonly string[],
  models: MachineModel,
): { calls: { id: string; tool: string }[]; outputs: ModelOutput[] } {
  const calls = tools.map((tool) => ({ id: `call_${++models.names}`, tool }))
  return { calls, outputs: calls.map(({ id, tool }) => ({ type: 'tool-call', id, name: tool, input: { for: id } })) }
}

const modelCalls = (pick: number, tools: readonly string[]): MachineCommand =>
  onSession(`model calls ${tools.join(' ')}`, pick, {
    isPossible: (model) => model.isAsking,
    act: async ({ model, world, session, models }) => {
      const { calls, outputs } = outputsOf(tools, models)
      world.ask(session)?.answer(...outputs, { type: 'finished', finish: 'tool-calls', usage: USAGE })
      model.modelCalls(calls)
    },
  })

const modelEnds = (pick: number, end: StepFinish | 'fail'): MachineCommand =>
  onSession(`model ends: ${end}`, pick, {
    isPossible: (model) => model.isAsking,
    act: async ({ model, world, session }) => {
      if (end === 'fail') {
        world.ask(session)?.answer({ type: 'failed', error: { code: 'model-down', message: 'The model is away.' } })
        return model.modelFails()
      }
      world.ask(session)?.answer({ type: 'text', text: 'so' }, { type: 'finished', finish: end, usage: USAGE })
      model.modelCalls([], end === 'stop' || end === 'tool-calls' ? 'finished' : end)
    },
  })

const toolEnds = (pick: number, which: number, isGood: boolean): MachineCommand =>
  onSession(`tool ${which} ${isGood ? 'returns' : 'throws'}`, pick, {
    isPossible: (model) => model.turn?.calls.some(({ phase }) => phase === 'running') === true,
    act: async ({ model, world, session }) => {
      const runs = world.runs(session)
      const run = runs[which % runs.length]
      if (run === undefined) throw new Error('a running call has a run')
      run.end(isGood ? { content: 'fine' } : new Error('broken'))
      model.toolEnds(run.toolCallId)
    },
  })

const remove = (pick: number): MachineCommand =>
  onSession('delete', pick, {
    isPossible: isHere,
    act: async ({ model, world, session }) => {
      const { engine, user: userId } = world.use(session)
      await engine.execute({ type: 'delete-session', userId, sessionId: session.sessionId })
      model.isDeleted = true
      model.turn = undefined
    },
  })

const attach = (pick: number, where: number): MachineCommand =>
  onSession(`attach at ${where} %`, pick, {
    isPossible: isHere,
    act: async ({ world, session }) => {
      const { lastSeq } = await world.use(session).view()
      await world.attach(session, Math.floor((lastSeq * where) / 100))
    },
  })

const leave = (pick: number, which: number): MachineCommand =>
  onSession(`reader ${which} leaves`, pick, {
    isPossible: isHere,
    act: async ({ world, session }) => {
      const reader = session.readers[which % (session.readers.length || 1)]
      if (reader !== undefined) world.leave(reader)
    },
  })

/** It leaves first where it is attached: the connection broke and was made again. */
const resume = (pick: number, which: number): MachineCommand =>
  onSession(`reader ${which} resumes`, pick, {
    isPossible: isHere,
    act: async ({ world, session }) => {
      const reader = session.readers[which % (session.readers.length || 1)]
      if (reader === undefined) return
      world.leave(reader)
      await world.resume(session, reader)
    },
  })

const wait = (ms: number): MachineCommand => ({
  check: () => true,
  run: async (models, world) => {
    world.clock.advance(ms)
    await compare(models, world)
  },
  toString: () => `wait ${ms} ms`,
})

const crash = (kind: 'dead' | 'zombie'): MachineCommand => ({
  check: () => true,
  run: async (models, world) => {
    await world.crash(kind)
    for (const model of models.sessions) model.takeOver()
    await compare(models, world)
  },
  toString: () => `crash (${kind})`,
})

/** The process dies while it stores what the inner command leads to; nobody knows how much of it. */
const crashDuring = (writes: number, isStored: boolean, inner: MachineCommand): MachineCommand => ({
  check: (models) => inner.check(models),
  run: async (models, world) => {
    world.dieAtWrite(writes, isStored)
    void Promise.resolve(inner.run(models, world)).catch(() => undefined)
    await untilQuiet()
    await untilQuiet()
    await world.crash('dead')
    for (const [index, model] of models.sessions.entries()) {
      const session = world.sessions[index]
      if (session !== undefined)
        model.adopt(...(await readStored(world.store, session.sessionId, [...model.keys.keys()])))
    }
    await compare(models, world)
  },
  toString: () => `${inner.toString()}, and die at write ${writes}, which is ${isStored ? 'stored' : 'lost'}`,
})

/** Weights keep turns going: without them most sequences would be refusals and cancels. */
export function machineCommand(): fc.Arbitrary<MachineCommand> {
  const pick = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(1) })
  const tools = fc.array(fc.constantFrom('look', 'put', 'pay', 'pay', 'browse', 'nobody'), {
    minLength: 1,
    maxLength: 4,
  })
  const saying = fc.record({
    key: fc.constantFrom('none', 'none', 'new', 'same', 'same, other text'),
    whenRunning: fc.constantFrom('refuse', 'queue'),
    isPayTrusted: fc.constantFrom(undefined, undefined, true, false),
  } as const)
  const says = fc.tuple(pick, saying).map(([session, how]) => say(session, how))
  const answers = fc
    .tuple(
      pick,
      fc.constantFrom('grant', 'grant', 'deny', 'result'),
      fc.oneof(fc.constant(0), fc.nat({ max: 6 })),
      fc.constantFrom('refuse', 'accept', 'accept'),
    )
    .map(([session, kind, target, whenRunning]) => answer(session, { kind, target, whenRunning }))
  const cancels = fc.tuple(pick, fc.boolean()).map((args) => cancel(...args))
  const pieces = fc.array(fc.constantFrom('text', 'thinking'), { minLength: 1, maxLength: 4 })
  const modelTalk = fc.tuple(pick, pieces).map((args) => modelSays(...args))
  const modelAnswers = fc.tuple(pick, tools).map((args) => modelCalls(...args))
  const modelStops = fc
    .tuple(pick, fc.constantFrom('stop', 'stop', 'token-limit', 'refused', 'fail'))
    .map((args) => modelEnds(...args))
  const toolStops = fc
    .tuple(pick, fc.nat({ max: 3 }), fc.constantFrom(true, true, false))
    .map((args) => toolEnds(...args))
  const died = fc
    .tuple(
      fc.integer({ min: 1, max: 4 }),
      fc.boolean(),
      fc.oneof(says, answers, cancels, modelAnswers, modelStops, toolStops),
    )
    .map((args) => crashDuring(...args))
  return fc.oneof(
    { weight: 8, arbitrary: says },
    { weight: 10, arbitrary: answers },
    { weight: 1, arbitrary: cancels },
    { weight: 6, arbitrary: modelTalk },
    { weight: 8, arbitrary: modelAnswers },
    { weight: 4, arbitrary: modelStops },
    { weight: 10, arbitrary: toolStops },
    { weight: 4, arbitrary: fc.tuple(pick, fc.nat({ max: 100 })).map((args) => attach(...args)) },
    { weight: 1, arbitrary: fc.tuple(pick, fc.nat({ max: 3 })).map((args) => leave(...args)) },
    { weight: 5, arbitrary: fc.tuple(pick, fc.nat({ max: 3 })).map((args) => resume(...args)) },
    { weight: 3, arbitrary: fc.constantFrom(10, 250, 1_000, 6_000, 400_000).map(wait) },
    { weight: 1, arbitrary: fc.constantFrom('dead', 'zombie').map(crash) },
    { weight: 3, arbitrary: died },
    { weight: 1, arbitrary: fc.constant(create) },
    {
      weight: 1,
      arbitrary: fc.oneof({ weight: 9, arbitrary: fc.constant(create) }, { weight: 1, arbitrary: pick.map(remove) }),
    },
  )
}

/** The first session is always there. */
export const machineSequence = (): fc.Arbitrary<readonly MachineCommand[]> =>
  fc.array(machineCommand(), { minLength: 30, maxLength: 59, size: 'max' }).map((rest) => [create, ...rest])
