// The counting agents, and a directory that editors may open.
import { defineConfig } from 'polylogue'
import counting from '../../support/counting.config.ts'

export default defineConfig({ ...counting, acp: { roots: { local: [process.env['POLYLOGUE_TEST_ROOT'] ?? ''] } } })
