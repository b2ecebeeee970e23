import type { Mutant } from './mutant.ts'

const AAP = 'packages/protocols/aap/src'
const KIT = 'packages/protocols/kit/src'

export const STREAM_MUTANTS: readonly Mutant[] = [
  {
    name: 'what waits for a reader is not bounded',
    edits: [
      {
        file: `${KIT}/sse/event-stream.ts`,
        find: '    if (this.#unsent() > this.#limit()) this.#stalled()\n',
        replacement: '',
      },
    ],
    caughtBy: { file: 'tests/streams/slow-readers.test.ts', test: 'are disconnected' },
  },
  {
    name: 'a reader that comes back gets again what it had',
    edits: [
      {
        file: `${AAP}/delta-steps.ts`,
        find: '    if (this.#isResumed() && block !== undefined) this.#sent.set(block, offset)\n',
        replacement: '    void [block, offset]\n',
      },
    ],
    caughtBy: { file: 'tests/streams/cut-streams.test.ts', test: 'is sent whole at the end' },
  },
  {
    name: 'the first of several calls already carries the cursor of the last',
    edits: [
      {
        file: `${AAP}/stream-presenter.ts`,
        find: 'index === items.length - 1 ? `${seq}` : `${seq}.${block}.0`',
        replacement: 'block >= 0 && index >= 0 ? `${seq}` : ``',
      },
    ],
    caughtBy: { file: 'tests/streams/cut-streams.test.ts', test: 'is sent whole at the end' },
  },
]
