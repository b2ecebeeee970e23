import { BASE_PATH } from '@polylogue/console/light'
import type { OpenDoor } from './door-deps.ts'
import { refuseWithError } from './find-door.ts'

/** Our own protocol, for the command line and the page. Its first request loads it. */
export const openConsole: OpenDoor = (deps) => ({
  name: 'console',
  paths: [BASE_PATH],
  routes: async (listener) => (await import('../console/console-app.ts')).createConsoleApp(deps, listener),
  inEveryPhase: [`${BASE_PATH}/status`],
  refuse: refuseWithError,
  clients: () => [],
  end: async () => undefined,
  close: async () => undefined,
})
