// The counting agents on a node that runs eight turns at a time.
import { defineConfig } from 'polylogue'
import counting from '../../support/counting.config.ts'

export default defineConfig({ ...counting, limits: { turnsPerNode: 8 } })
