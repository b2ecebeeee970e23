import { describe, expect, it } from 'vitest'
import { createProtectedSet } from './protected-set.ts'

const view = createProtectedSet({ homes: [] }).look()

describe('names that are protected wherever they are', () => {
  it.each(['AGENTS.md', 'CLAUDE.md', 'agents.md', 'polylogue.config.mts', '.git/hooks/pre-commit', '.bashrc'])(
    '%s may be read, and written only when that is asked for',
    (name) => {
      for (const folder of ['/work', '/work/deep/er']) {
        expect(view.find(`${folder}/${name}`, 'read')).toEqual([])
        expect(view.find(`${folder}/${name}`, 'write')).toMatchObject([{ grade: 'guarded' }])
      }
    },
  )

  it.each(['AGENTS.md.bak', 'my-AGENTS.md', 'agents.markdown', 'AGENTS.md/../notes.md'])(
    '%s is not one of them',
    (name) => {
      expect(view.find(new URL(`file:///work/${name}`).pathname, 'write')).toEqual([])
    },
  )
})
