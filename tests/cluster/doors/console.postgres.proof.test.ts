import { proveSuites } from './prove-suites.ts'

proveSuites('the console', 4, [
  () => import('../../console/access.browser.test.ts'),
  () => import('../../console/approvals.browser.test.ts'),
  () => import('../../console/chat.browser.test.ts'),
  () => import('../../console/doors.browser.test.ts'),
  () => import('../../console/first-run.browser.test.ts'),
  () => import('../../console/hostile.browser.test.ts'),
  () => import('../../console/manage.browser.test.ts'),
  () => import('../../console/robust.browser.test.ts'),
  () => import('../../console/sessions.browser.test.ts'),
  () => import('../../console/work.browser.test.ts'),
])
