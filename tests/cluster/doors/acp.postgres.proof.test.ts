import { proveSuites } from './prove-suites.ts'

proveSuites('ACP', 6, [
  () => import('../../acp/crash.test.ts'),
  () => import('../../acp/editor-offers.test.ts'),
  () => import('../../acp/ends.test.ts'),
  () => import('../../acp/malformed.test.ts'),
  () => import('../../acp/move-sessions.test.ts'),
  () => import('../../acp/network.test.ts'),
  () => import('../../acp/owners.test.ts'),
  () => import('../../acp/permissions.test.ts'),
  () => import('../../acp/process.test.ts'),
  () => import('../../acp/resume-on-start.test.ts'),
  () => import('../../acp/revoked-key.test.ts'),
  () => import('../../acp/sdk-clients.test.ts'),
  () => import('../../acp/two-doors.test.ts'),
  () => import('../../acp/undo.test.ts'),
])
