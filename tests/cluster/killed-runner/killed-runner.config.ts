// The agent of the crash tests, and a directory that editors may open.
import { defineConfig } from 'polylogue'
import crash from '../../crash/crash.config.ts'

export default defineConfig({ ...crash, acp: { roots: { local: [process.env['POLYLOGUE_TEST_ROOT'] ?? ''] } } })
