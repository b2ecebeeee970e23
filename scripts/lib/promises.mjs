/**
 * What we promise, in the words of RELIABILITY.md.
 * @typedef {object} Promised
 * @property {string} id
 * @property {string} promise
 * @property {string} today how far it goes today
 * @property {readonly string[]} shownBy rows of the proof; empty when only `npm test` shows it
 */

/** @type {readonly Promised[]} */
export const PROMISES = [
  {
    id: 'P1',
    promise: 'What was acknowledged is never lost.',
    today: 'An answer leaves after the commit is on disk. Kills, crashes of the system and power loss included.',
    shownBy: ['F1', 'F2'],
  },
  {
    id: 'P2',
    promise: 'A request can be repeated.',
    today: 'The same idempotency key gives the same turn, once. It is stored in the transaction that starts the turn.',
    shownBy: ['F1', 'F9'],
  },
  {
    id: 'P3',
    promise: 'After a crash no tool call is left hanging.',
    today:
      'Every call has exactly one result before the model is asked again, and the history stays valid for providers.',
    shownBy: ['F1', 'F3', 'F17'],
  },
  {
    id: 'P4',
    promise: 'A tool takes effect at most once, or is reported as unknown.',
    today:
      'A call is recorded before it runs. One that was cut off runs again only if its tool is `readonly` or `idempotent`; of any other the model is told that the outcome is unknown.',
    shownBy: ['F1', 'F3', 'F13'],
  },
  {
    id: 'P5',
    promise: 'A session has one running turn.',
    today: 'By a lease whose epoch is checked in every append. One process owns a data directory.',
    shownBy: ['F1'],
  },
  {
    id: 'P6',
    promise: 'Events are numbered without gaps, and a client goes on where it was.',
    today: 'No client sees an event before it is on disk. A cursor that cannot be honoured gets one `resync`.',
    shownBy: ['F9', 'F1'],
  },
  {
    id: 'P7',
    promise: 'The state is the fold of the log, at every event.',
    today: 'Checked for every recovered session.',
    shownBy: ['F1', 'F3'],
  },
  {
    id: 'P8',
    promise: 'Cancel stops; nothing is recorded after the end of a turn.',
    today:
      'Model calls, sub-agents and the whole process tree of a command end; nobody of it is left after two seconds.',
    shownBy: ['F1', 'F11', 'F12'],
  },
  {
    id: 'P9',
    promise: 'Memory is bounded, whatever clients do.',
    today: 'A reader that does not read is let go with its cursor; nobody else notices.',
    shownBy: ['F10'],
  },
  {
    id: 'P10',
    promise: 'SIGTERM drains.',
    today:
      'Turns may end for 30 seconds; what is still running then goes on at the next start. A second signal: at once.',
    shownBy: ['F13'],
  },
  {
    id: 'P11',
    promise: 'A schedule fires once.',
    today: 'Every slot has one outcome, stored with the ids of its run; what was missed is skipped, not made up for.',
    shownBy: ['F15'],
  },
  {
    id: 'P12',
    promise: 'Changes of time zones lose no slot.',
    today: 'A time that is left out comes once, right after the change; one that is repeated comes the first time.',
    shownBy: ['F15'],
  },
  {
    id: 'P13',
    promise: 'Nobody reads or writes what belongs to another user.',
    today: 'An id of someone else answers as an unknown one, at every door.',
    shownBy: ['mutants'],
  },
  {
    id: 'P14',
    promise: 'An approval is for exactly what will run.',
    today:
      'It is bound to a hash of tool, input, directory and policy, survives a restart, and only an answer grants it.',
    shownBy: ['mutants', 'M3', 'C16'],
  },
  {
    id: 'P15',
    promise: 'A disk that fails stops us from saying yes.',
    today: 'After a failed write or flush nothing is acknowledged; reads go on; work resumes when the disk is back.',
    shownBy: ['F4', 'F5', 'F20', 'F21'],
  },
  {
    id: 'P16',
    promise: 'Old logs stay readable.',
    today: 'Migrations survive a kill in any step; a newer database is refused with a sentence.',
    shownBy: ['F22'],
  },
  {
    id: 'P17',
    promise: 'No input ends the server.',
    today: 'No exit, no unhandled rejection, no 5xx, over HTTP, editors’ frames, sockets, flags and files.',
    shownBy: ['B', 'B1', 'B11'],
  },
]
