import { ProjectionMarks, RowReader, presentSession, type BladeSockets } from '@polylogue/blade'
import { SOCKET_PATH } from '@polylogue/blade/light'
import { logRefusals } from '../auth/log-refusals.ts'
import type { DoorDeps } from '../doors/door-deps.ts'
import type { Presentation, RowPage, RowsAsked } from '../doors/door.ts'
import type { HttpApp } from '../http/request-listener.ts'
import { createBladeRest } from './blade-rest.ts'
import { createSockets } from './blade-sockets.ts'
import { describeSessions } from './describe-sessions.ts'

/** What answers the clients of Blade. */
export interface BladeParts {
  readonly sockets: BladeSockets
  routes(foreignPaths: () => readonly string[]): HttpApp
  present(): Presentation
  readRows(asked: RowsAsked): Promise<RowPage>
}

export function openBladeParts(deps: DoorDeps): BladeParts {
  const { parts, config, log, authenticate, addressOf, clientOf } = deps
  const marks = new ProjectionMarks({
    store: parts.marks,
    failed: (error) => log.debug({ err: error }, 'the marks of a session could not be read or stored'),
  })
  parts.onStorageReplaced(() => marks.clear())
  const rows = new RowReader(parts.engine, describeSessions(parts), marks)
  return {
    sockets: createSockets({
      marks,
      parts,
      config,
      log,
      authenticate: logRefusals(authenticate, { log, addressOf, route: SOCKET_PATH }),
      clientOf,
    }),
    routes: (foreignPaths) => createBladeRest({ parts, config, log, authenticate, foreignPaths }),
    present() {
      const session = presentSession(describeSessions(parts))
      return { recorded: async (recorded) => session.recorded(recorded), settle: () => session.settle() }
    },
    readRows: (asked) => rows.read(asked),
  }
}
