import type { Mutant } from './mutant.ts'

const ENGINE = 'packages/engine/src'

export const ENGINE_MUTANTS: readonly Mutant[] = [
  {
    name: 'an unsafe tool runs again after a takeover',
    edits: [
      {
        file: `${ENGINE}/turn/decide-takeover.ts`,
        find: "end === undefined ? ['unsafe'] : ['unsafe', 'idempotent']",
        replacement: "end === undefined ? [] : ['unsafe', 'idempotent']",
      },
    ],
    caughtBy: { file: 'tests/aap/crash.test.ts', test: 'while an unsafe tool runs' },
  },
  {
    name: 'a step is ended after its turn',
    edits: [
      {
        file: `${ENGINE}/session/end-turn.ts`,
        find: 'turn.output !== undefined && { output: turn.output }),\n    },\n  ]',
        replacement:
          "turn.output !== undefined && { output: turn.output }),\n    } as RecordedEvent,\n  ].toSorted((a, b) => Number(a.type === 'step.ended') - Number(b.type === 'step.ended'))",
      },
      {
        file: `${ENGINE}/state/fold-turn.ts`,
        find: "if (state.turn === undefined) throw new Error('this event needs an active turn')",
        replacement: 'if (state.turn === undefined) return state',
      },
    ],
    caughtBy: { file: 'tests/checker/session-machine.test.ts', test: 'behaves like its model' },
  },
  {
    name: 'a delta overtakes an event that is being recorded',
    edits: [
      {
        file: `${ENGINE}/session/session-feed.ts`,
        find: '    if (this.#holds > 0) this.#held.push(delta)\n    else this.#deliver(delta)\n',
        replacement: '    this.#deliver(delta)\n',
      },
    ],
    caughtBy: { file: `${ENGINE}/session/session-feed.test.ts`, test: '' },
  },
  {
    name: 'an event is shown before it is on disk',
    edits: [
      {
        file: `${ENGINE}/session/open-session.ts`,
        find: '    this.feed.hold()\n',
        replacement: '    this.feed.hold()\n    this.feed.publish(recorded)\n',
      },
      {
        file: `${ENGINE}/session/open-session.ts`,
        find: '      published = recorded\n',
        replacement: '',
      },
    ],
    caughtBy: { file: 'tests/checker/session-races.test.ts', test: '' },
  },
  {
    name: 'a session is found by its id, whoever asks',
    edits: [
      {
        file: `${ENGINE}/session/open-sessions.ts`,
        find: 'if (session === undefined || session.state.userId !== userId) {',
        replacement: 'void userId\n    if (session === undefined) {',
      },
    ],
    caughtBy: { file: 'tests/aap/auth-and-errors.test.ts', test: '' },
  },
  {
    name: 'one approval grants every call that waits',
    edits: [
      {
        file: `${ENGINE}/state/evolve.ts`,
        find: '      if (!event.granted) return state\n',
        replacement: `      if (!event.granted) return state
      state = withTurn(state, (turn) => ({
        ...turn,
        step: turn.step && {
          ...turn.step,
          calls: turn.step.calls.map((call) =>
            call.phase === 'awaiting-approval' && call.approval
              ? { ...call, phase: 'ready', approval: { ...call.approval, granted: true } }
              : call,
          ),
        },
      }))
`,
      },
    ],
    caughtBy: { file: 'tests/aap/tools.test.ts', test: 'aap 97' },
  },
  {
    name: 'a restart grants what waited for approval',
    edits: [
      {
        file: `${ENGINE}/session/load-session.ts`,
        find: '  return state && new OpenSession(parts, state, snapshot?.seq ?? 0)\n',
        replacement: `  const step = state?.turn?.step
  const calls = step?.calls.map((call) => (call.phase === 'awaiting-approval' ? { ...call, phase: 'ready', approval: { ...call.approval, granted: true } } : call))
  if (state?.turn && step && calls) state = { ...state, turn: { ...state.turn, step: { ...step, calls } } } as typeof state
  return state && new OpenSession(parts, state, snapshot?.seq ?? 0)
`,
      },
    ],
    caughtBy: { file: `${ENGINE}/turn/takeover.test.ts`, test: 'a turn that waits for a human' },
  },
  {
    name: 'a cancel is recorded and stops nothing',
    edits: [
      {
        file: `${ENGINE}/engine/cancel.ts`,
        find: "    if (event.type === 'turn.cancel-requested') deps.coordinator.stopRunner(session.id, 'cancel', event.turnId)\n",
        replacement: '',
      },
    ],
    caughtBy: { file: 'tests/aap/repeat-and-cancel.test.ts', test: 'stops the model, keeps its partial text' },
  },
  {
    name: 'a call is run that could not be recorded as started',
    edits: [
      {
        file: `${ENGINE}/turn/start-calls.ts`,
        find: '  }, deps.fence)\n  return started\n',
        replacement: '  }, deps.fence).catch(() => undefined)\n  return started\n',
      },
    ],
    caughtBy: { file: `${ENGINE}/turn/turn-commits.test.ts`, test: 'does not run a granted call whose start' },
  },
  {
    name: 'a cancelled turn leaves calls without a result',
    edits: [
      {
        file: `${ENGINE}/session/end-turn.ts`,
        find: 'openCallsIn(loop).flatMap(',
        replacement: "openCallsIn(loop).filter((call) => call.phase !== 'running').flatMap(",
      },
    ],
    caughtBy: { file: 'tests/aap/repeat-and-cancel.test.ts', test: 'stops a running tool and leaves no call' },
  },
  {
    name: 'a snapshot is one append behind',
    edits: [
      {
        file: `${ENGINE}/session/open-session.ts`,
        find: 'snapshot: isSnapshotDue ? writeSnapshot(state) : undefined,',
        replacement: 'snapshot: isSnapshotDue ? writeSnapshot(this.#state) : undefined,',
      },
    ],
    caughtBy: { file: `${ENGINE}/session/open-session.test.ts`, test: 'is stored every 200 events' },
  },
]
