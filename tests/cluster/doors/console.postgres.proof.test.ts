import { proveSuites } from './prove-suites.ts'

proveSuites('the console', 4, [
  async () => void (await import('../../console/access.browser.test.ts')),
  async () => void (await import('../../console/approvals.browser.test.ts')),
  async () => void (await import('../../console/chat.browser.test.ts')),
  async () => void (await import('../../console/doors.browser.test.ts')),
  async () => void (await import('../../console/first-run.browser.test.ts')),
  async () => void (await import('../../console/hostile.browser.test.ts')),
  async () => void (await import('../../console/manage.browser.test.ts')),
  async () => void (await import('../../console/past.browser.test.ts')),
  async () => void (await import('../../console/robust.browser.test.ts')),
  async () => void (await import('../../console/sessions.browser.test.ts')),
  async () => void (await import('../../console/work.browser.test.ts')),
])
