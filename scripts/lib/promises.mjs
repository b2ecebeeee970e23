/**
 * A promise, as RELIABILITY.md states it.
 * @typedef {object} Promised
 * @property {string} id
 * @property {string} promise
 * @property {string} today what holds today
 * @property {readonly string[]} shownBy rows of the proof; empty if only `npm test` covers it
 */

/** @type {readonly Promised[]} */
export const PROMISES = [
  {
    id: 'P1',
    promise: 'Acknowledged data is never lost.',
    today: 'An answer is sent after the commit is on disk. This covers kills, system crashes and power loss.',
    shownBy: ['F1', 'F2', 'F6', 'F7'],
  },
  {
    id: 'P2',
    promise: 'A request can be retried safely.',
    today: 'The same idempotency key gives the same turn. The key is stored in the transaction that starts the turn.',
    shownBy: ['F1', 'F8', 'F9'],
  },
  {
    id: 'P3',
    promise: 'No tool call stays open after a crash.',
    today: 'Every call has exactly one result before the next model call, and the history stays valid for providers.',
    shownBy: ['F1', 'F3', 'F17'],
  },
  {
    id: 'P4',
    promise: 'A tool takes effect at most once, or is reported as unknown.',
    today:
      'A call is recorded before it runs. An interrupted call runs again only if its tool is `readonly` or `idempotent`; otherwise the model is told that the outcome is unknown.',
    shownBy: ['F1', 'F3', 'F13', 'F14', 'runner'],
  },
  {
    id: 'P5',
    promise: 'A session has at most one running turn.',
    today: 'Every append checks the epoch of a lease. One process owns a data directory, or one node a session.',
    shownBy: ['F1', 'F14', 'runner'],
  },
  {
    id: 'P6',
    promise: 'Events are numbered without gaps, and a client resumes at its position.',
    today: 'No client sees an event before it is on disk. A cursor that is no longer valid gets one `resync`.',
    shownBy: ['F9', 'F1', 'runner'],
  },
  {
    id: 'P7',
    promise: 'State equals the fold of the log, at every event.',
    today: 'Checked for every recovered session.',
    shownBy: ['F1', 'F3'],
  },
  {
    id: 'P8',
    promise: 'Cancel stops; nothing is recorded after the end of a turn.',
    today: 'Model calls, sub-agents and the whole process tree of a command end within two seconds.',
    shownBy: ['F1', 'F11', 'F12'],
  },
  {
    id: 'P9',
    promise: 'Memory is bounded, whatever clients do.',
    today: 'A reader that does not read is disconnected and can resume at its cursor. Others are not affected.',
    shownBy: ['F10'],
  },
  {
    id: 'P10',
    promise: 'SIGTERM drains.',
    today: 'Running turns have 30 seconds to end; the rest continue at the next start. A second signal stops at once.',
    shownBy: ['F13'],
  },
  {
    id: 'P11',
    promise: 'A schedule fires once.',
    today: 'Every slot has one outcome, stored with the ids of its run. Missed slots are skipped.',
    shownBy: ['F15'],
  },
  {
    id: 'P12',
    promise: 'Time zone changes lose no slot.',
    today: 'A skipped time fires once, right after the change; a repeated time fires at its first occurrence.',
    shownBy: ['F15'],
  },
  {
    id: 'P13',
    promise: 'Users cannot read or write data of other users.',
    today: 'Another user’s id behaves like an unknown one, at every door.',
    shownBy: ['mutants'],
  },
  {
    id: 'P14',
    promise: 'An approval covers exactly what will run.',
    today:
      'It is bound to a hash of tool, input, directory and policy. It survives a restart, and only an answer grants it.',
    shownBy: ['mutants', 'M3', 'C16'],
  },
  {
    id: 'P15',
    promise: 'Nothing is acknowledged on a failing disk.',
    today:
      'After a failed write or flush nothing is acknowledged. Reads continue, and writes resume when the disk recovers.',
    shownBy: ['F4', 'F5', 'F20', 'F21'],
  },
  {
    id: 'P16',
    promise: 'Old logs stay readable.',
    today: 'Migrations survive a kill at any step. A newer database is refused with a clear message.',
    shownBy: ['F22'],
  },
  {
    id: 'P17',
    promise: 'No input stops the server.',
    today: 'No exit, no unhandled rejection and no 5xx, from HTTP, editor frames, sockets, flags and files.',
    shownBy: ['B', 'B1', 'B11'],
  },
]
