import { proveSuites } from './prove-suites.ts'

proveSuites('Blade', 5, [
  () => import('../../blade/audience.test.ts'),
  () => import('../../blade/crash.test.ts'),
  () => import('../../blade/editors.test.ts'),
  () => import('../../blade/large-result.test.ts'),
  () => import('../../blade/rest.test.ts'),
  () => import('../../blade/session-status.test.ts'),
  () => import('../../blade/sockets.test.ts'),
  () => import('../../blade/tools.test.ts'),
])
