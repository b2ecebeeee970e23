import { proveSuites } from './prove-suites.ts'

proveSuites('ACP', 6, [
  async () => void (await import('../../acp/crash.test.ts')),
  async () => void (await import('../../acp/editor-offers.test.ts')),
  async () => void (await import('../../acp/ends.test.ts')),
  async () => void (await import('../../acp/malformed.test.ts')),
  async () => void (await import('../../acp/move-sessions.test.ts')),
  async () => void (await import('../../acp/network.test.ts')),
  async () => void (await import('../../acp/owners.test.ts')),
  async () => void (await import('../../acp/permissions.test.ts')),
  async () => void (await import('../../acp/process.test.ts')),
  async () => void (await import('../../acp/resume-on-start.test.ts')),
  async () => void (await import('../../acp/revoked-key.test.ts')),
  async () => void (await import('../../acp/sdk-clients.test.ts')),
  async () => void (await import('../../acp/two-doors.test.ts')),
  async () => void (await import('../../acp/undo.test.ts')),
])
