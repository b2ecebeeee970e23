import { readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { FAILPOINT_NAMES, findCriticalCalls, findFailpoints, type SourceFile } from './failpoint-names.ts'

const ROOT = new URL('../../', import.meta.url)

const readSources = (folder: string): readonly SourceFile[] =>
  readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.includes('test-'))
    .map((path) => ({ path, text: readFileSync(fileURLToPath(new URL(`${folder}${path}`, ROOT)), 'utf8') }))

const sources = [...readSources('packages/engine/src/'), ...readSources('packages/stores/sqlite/src/')]

describe('the list of failpoints', () => {
  it('names exactly those in the sources', () => {
    expect(findFailpoints(sources)).toEqual(FAILPOINT_NAMES)
  })

  it('covers every call that a crash may cut in two: a new one needs a failpoint beside it, then a line here', () => {
    expect(findCriticalCalls(sources)).toEqual({
      // These forward calls. Their callers have the failpoints.
      'cluster/announce-appends.ts: append': 1,
      'cluster/guard-levels.ts: append': 2,
      'cluster/announce-appends.ts: claim': 1,
      'cluster/announce-appends.ts: delete': 1,
      'engine/create-engine.ts: execute a command': 1, // ack
      'engine/delete-session.ts: delete': 1, // delete.before, delete.after
      // append.before-commit, append.after-commit, claim.after-commit, drafts.after-commit; the other one is that of the
      // search index, which is completed from the log after a crash: search-indexer.test.ts.
      'group-commit.ts: commit': 2,
      'migrate.ts: migrate': 1, // migrate
      // append.before, append.after; the other one stores a snapshot without events. A crash there costs a longer fold
      // and nothing else.
      'session/open-session.ts: append': 2,
      'session/open-session.ts: publish events': 2, // append.after, publish.after; what others recorded
      'session/store-new-session.ts: append': 1, // create.before-append, create.after-append
      'session/store-new-session.ts: publish events': 1, // create.after-append
      'turn/runner-leases.ts: claim': 1, // claim.after; a claim that joins an append has runner.started
      'turn/draft-writer.ts: save drafts': 1, // drafts.after-commit
      'turn/stream-step.ts: publish a delta': 1, // publish.delta
      'turn/run-call.ts: run a tool': 1, // tool.before-run, tool.after-run, results.gathered
    })
  })

  it('would miss neither a new name nor a new call', () => {
    const added = { path: 'new.ts', text: "await failpoint('brand.new')\nawait store.append(x) // store.claim(y)\n" }
    expect(findFailpoints([...sources, added])).toContain('brand.new')
    expect(findCriticalCalls([added])).toEqual({ 'new.ts: append': 1 })
  })
})
