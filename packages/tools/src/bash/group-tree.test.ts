import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { createGroupTree } from './group-tree.ts'
import { stopTree } from './process-tree.ts'

/** A group of two processes that ignore SIGTERM, or end on it. */
async function startGroup(trap: string) {
  const child = spawn('sh', ['-c', `${trap} sleep 600 & echo started; wait; wait`], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  if (child.pid === undefined) throw new Error('sh did not start')
  const exited = once(child, 'exit')
  await once(child.stdout, 'data')
  return { pid: child.pid, exited }
}

it.each([
  ['asks a group to end', '', 10_000],
  ['kills a group that does not want to end', "trap '' TERM;", 50],
])('on macOS, %s, with the children of its leader', async (_, trap, askMs) => {
  const { pid, exited } = await startGroup(trap)
  const tree = createGroupTree(pid, { system: 'darwin' })
  expect((await tree.find()).rows).toMatchObject([{ pid }])
  expect(await stopTree(tree, { askMs, killMs: 10_000 })).toBe(true)
  await exited
  expect(() => process.kill(-pid, 0)).toThrow('ESRCH')
})

it('on Windows, kills the process with its children by taskkill, and only while it is alive', async () => {
  const ran: (readonly string[])[] = []
  let isAlive = true
  const tree = createGroupTree(4711, {
    system: 'win32',
    send: () => expect.unreachable('Windows has no signals'),
    probe: (pid) => {
      if (pid !== 4711 || !isAlive) throw Object.assign(new Error('gone'), { code: 'ESRCH' })
    },
    run: (file, args) => {
      ran.push([file, ...args])
      isAlive = false
    },
  })
  expect(await stopTree(tree, { askMs: 1, killMs: 10_000 })).toBe(true)
  expect(ran).toEqual([['taskkill.exe', '/pid', '4711', '/t', '/f']])
  expect((await tree.find()).rows).toEqual([])
})

it('finds nothing after a restart, when the first process is not known', async () => {
  expect((await createGroupTree(undefined, { system: 'darwin' }).find()).rows).toEqual([])
})
