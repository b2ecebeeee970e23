import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { type TempDir, createTempDir } from '../support/temp-dir.ts'
import { V3 } from '../support/aap-dialect.ts'
import { textOf } from '../support/played-turn.ts'
import { makeDue } from './due-now.ts'
import { createTaskClient } from './task-client.ts'

let temp: TempDir
beforeEach(async () => {
  temp = await createTempDir()
  await writeFile(join(temp.path, 'polylogue.config.json'), JSON.stringify({ defaultAgent: 'scripted' }))
})
afterEach(() => temp.remove())

/** It kills itself, perhaps before it is ready. */
async function untilDead(starting: Promise<ServerProcess>): Promise<void> {
  const server = await starting.catch(() => undefined)
  // A signal that nobody minds: only its end is waited for.
  await server?.stop('SIGWINCH')
}

/** Where the server dies: after the slot was decided, after the turn was stored, after somebody was told of it. */
it.each(['create.before-append', 'create.after-append', 'append.after'])(
  'a task that is due runs once, when its server is killed at %s',
  async (point) => {
    const first = await startServerProcess({ dataDir: temp.path })
    const { id } = await createTaskClient(first).task({ title: 'Once', prompt: 'say hello' })
    await first.stop()
    await makeDue(temp.path, id)

    const environment = { POLYLOGUE_FAILPOINTS: `${point}=kill@1` }
    await untilDead(startServerProcess({ dataDir: temp.path, environment }))

    const server = await startServerProcess({ dataDir: temp.path })
    try {
      const tasks = createTaskClient(server)
      const run = await tasks.ended(id)
      expect(run).toMatchObject({ status: 'completed', error: null })
      expect(await tasks.runs(id)).toHaveLength(1)
      const { body } = await tasks.send<{ items: readonly { id: string }[] }>('GET', '/sessions')
      expect(body.items.map((session) => session.id)).toEqual([run.session_id])
      const history = await server.client(V3).history(run.session_id, 'full')
      expect(history.filter(({ role }) => role === 'user')).toHaveLength(1)
      expect(textOf(history)).toContain('hello')
    } finally {
      await server.stop()
    }
  },
)
