// Run as a process: replays sessions, which stdin has as JSON, with a bug planted in one source of the engine. Prints the
// names of those that come out differently.
import { registerHooks } from 'node:module'
import { text } from 'node:stream/consumers'
import { applyEdit, type Edit } from '../mutants/mutant.ts'
import type { StoredSession } from './stored-session.ts'

const edit = JSON.parse(process.argv[2] ?? '') as Edit

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    if (!url.endsWith(`/${edit.file}`)) return loaded
    return { ...loaded, source: applyEdit(String(loaded.source), edit) }
  },
})

// Loaded after the hook is in place.
const { fromStored } = await import('./stored-session.ts')
const { replaySession } = await import('./replay-sample.ts')
const named: string[] = []
for (const stored of JSON.parse(await text(process.stdin)) as readonly StoredSession[]) {
  const session = fromStored(stored)
  if ((await replaySession(session)).differences.length > 0) named.push(session.name)
}
process.stdout.write(JSON.stringify(named))
