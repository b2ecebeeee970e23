import { proveSuites } from './prove-suites.ts'

proveSuites('Blade', 5, [
  async () => void (await import('../../blade/audience.test.ts')),
  async () => void (await import('../../blade/crash.test.ts')),
  async () => void (await import('../../blade/editors.test.ts')),
  async () => void (await import('../../blade/large-result.test.ts')),
  async () => void (await import('../../blade/rest.test.ts')),
  async () => void (await import('../../blade/session-status.test.ts')),
  async () => void (await import('../../blade/sockets.test.ts')),
  async () => void (await import('../../blade/tools.test.ts')),
])
