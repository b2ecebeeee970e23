import { defineConfig } from 'polylogue'
import counting from '../../support/counting.config.ts'

/** The agent `counting`, and room for one key to play all clients. */
export default defineConfig({ ...counting, limits: { streamsPerKey: 10_000, runningTurnsPerUser: 10_000 } })
