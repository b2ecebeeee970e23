// Scheduled tasks on a whole server, over the wire that clients speak. Their minute comes when the test says so.
import { asUserId } from '@polylogue/engine'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { V3 } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import { eventually } from '../support/eventually.ts'
import { textOf } from '../support/played-turn.ts'
import { call, script } from '../support/script.ts'
import { type TempDir, createTempDir } from '../support/temp-dir.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { withStores } from './due-now.ts'
import { YEARLY, createTaskClient, type Run, type Task, type TaskClient } from './task-client.ts'

let temp: TempDir
let server: TestServer
let tasks: TaskClient
beforeAll(async () => {
  temp = await createTempDir()
  const configFile = join(temp.path, 'polylogue.config.json')
  await writeFile(configFile, JSON.stringify({ defaultAgent: 'scripted' }))
  server = await startTestServer({ configFile })
  tasks = createTaskClient(server)
})
afterAll(async () => {
  await server.stop()
  await temp.remove()
})

const said = async (sessionId: string): Promise<string> => textOf(await server.client(V3).history(sessionId, 'full'))
/** When the session of the first run of a task has come to this. */
const untilStatus = (taskId: string, status: string): Promise<Run> =>
  eventually(async () => {
    const [run] = await tasks.runs(taskId)
    const session = run && (await tasks.session(run.session_id))
    return session?.status === status ? run : undefined
  }, `a run that is ${status}`)

describe('a scheduled task', () => {
  it('blade 128: is made, and a bad cron or timezone is 422', async () => {
    const made = await tasks.send<Task>('POST', '/scheduled-tasks', YEARLY)
    const task = {
      ...YEARLY,
      id: expect.stringMatching(/^task_/),
      expires_at: null,
      skip_confirmations: false,
      model: null,
    }
    expect(made).toMatchObject({ status: 201, body: task })
    expect((await tasks.send('GET', `/scheduled-tasks/${made.body.id}`)).body).toEqual(made.body)
    expect((await tasks.send<readonly Task[]>('GET', '/scheduled-tasks/')).body[0]).toEqual(made.body)
    for (const [wrong, field] of [
      [{ cron: 'daily' }, 'cron'],
      [{ cron: '0 0 31 2 *' }, 'cron'],
      [{ timezone: 'Mars/Base' }, 'timezone'],
      [{ title: '' }, 'title'],
      [{ expires_at: 'soon' }, 'expires_at'],
    ] as const) {
      const refused = await tasks.send<Task>('POST', '/scheduled-tasks', { ...YEARLY, ...wrong })
      expect([refused.status, refused.body.detail]).toEqual([422, expect.stringMatching(`^${field}: `)])
    }
    const changed = await tasks.send<Task>('PATCH', `/scheduled-tasks/${made.body.id}`, { cron: '5 * * *' })
    expect(changed.status).toBe(422)
    const later = await tasks.send('PATCH', `/scheduled-tasks/${made.body.id}`, {
      title: 'Weekly',
      timezone: 'Asia/Tokyo',
    })
    expect(later.body).toEqual({ ...made.body, title: 'Weekly', timezone: 'Asia/Tokyo' })
  })

  it('blade 129: is started and stopped, which triggers no run', async () => {
    const { id } = await tasks.task({ enabled: false })
    const flip = async (verb: string) => (await tasks.send<Task>('POST', `/scheduled-tasks/${id}/${verb}`)).body.enabled
    expect([await flip('start'), await flip('start'), await flip('stop'), await flip('start')]).toEqual([
      true,
      true,
      false,
      true,
    ])
    expect(await tasks.runs(id)).toEqual([])
  })

  it('blade 130: runs at the due time, in a session of its own, and the run ends', async () => {
    const { id } = await tasks.task({ title: 'Morning report', prompt: 'say the numbers are fine' })
    await tasks.comeDue(id)
    const run = await tasks.ended(id)
    expect(run).toEqual({
      id: expect.stringMatching(/^run_/),
      task_id: id,
      session_id: expect.any(String),
      status: 'completed',
      error: null,
      triggered_at: expect.stringMatching(/Z$/),
      finished_at: expect.stringMatching(/Z$/),
    })
    expect(await tasks.session(run.session_id)).toMatchObject({ intent: 'Morning report', status: 'completed' })
    expect(await said(run.session_id)).toContain('the numbers are fine')
    expect(await tasks.runs(id)).toHaveLength(1)
  })

  it('blade 131: fails with the reason when its turn fails or is interrupted', async () => {
    const failing = await tasks.task({ prompt: 'fail' })
    await tasks.comeDue(failing.id)
    expect(await tasks.ended(failing.id)).toMatchObject({ status: 'failed', error: expect.stringMatching(/./) })
    const long = await tasks.task({ prompt: 'sleep 60000' })
    await tasks.comeDue(long.id)
    await server.client(V3).cancel((await untilStatus(long.id, 'running')).session_id)
    expect(await tasks.ended(long.id)).toMatchObject({ status: 'failed', error: 'It was cancelled.' })
  })

  it('blade 131a: asks no questions when it skips confirmations, and denials stay denials', async () => {
    const prompt = script(
      call('w1', 'Bash', { command: 'mkdir -p a/b && echo kept > a/b/note && cat a/b/note' }),
      call('d1', 'Bash', { command: 'rm -rf /' }),
      '---',
      'show tools',
    )
    const { id } = await tasks.task({ skip_confirmations: true, prompt })
    await tasks.comeDue(id)
    const run = await tasks.ended(id)
    expect(run).toMatchObject({ status: 'completed' })
    const history = await server.client(V3).history(run.session_id, 'full')
    const resultOf = (id: string) => JSON.stringify(history.find((one) => 'toolCallId' in one && one.toolCallId === id))
    expect(resultOf('w1')).toContain('kept')
    expect(resultOf('d1')).toMatch(/may never run this command: recursive delete/)
    const tools = await said(run.session_id)
    expect(tools).toContain('"Bash"')
    expect(tools).not.toMatch(/"AskUserQuestion"|"Schedule"/)
    const asking = await tasks.task({ prompt: call('w1', 'Bash', { command: 'mkdir -p a/b' }) })
    await tasks.comeDue(asking.id)
    const waiting = await untilStatus(asking.id, 'waiting_for_input')
    expect(waiting).toMatchObject({ status: 'running', finished_at: null })
    await server.client(V3).cancel(waiting.session_id)
  })

  it('blade 132: occurs in the calendar by its zone, inside the range, until it expires, while it is enabled', async () => {
    const user = createTaskClient({ ...server, key: await server.createKey('ada') }, 'ada')
    const daily = await user.task({ title: 'Berlin', cron: '30 2 * * *', timezone: 'Europe/Berlin' })
    const expiring = await user.task({ cron: '0 12 * * *', expires_at: '2099-03-29T12:00:00+00:00' })
    await user.task({ cron: '0 12 * * *', enabled: false })
    const ask = (query: string) => user.send('GET', `/scheduled-tasks/calendar?${query}`)
    const { status, body } = await ask('from=2099-03-28T01:30:00Z&to=2099-03-31T00:30:00Z')
    expect([status, body]).toEqual([
      200,
      [
        {
          task_id: expiring.id,
          title: 'Report',
          occurrences: ['2099-03-28T12:00:00.000Z', '2099-03-29T12:00:00.000Z'],
        },
        {
          task_id: daily.id,
          title: 'Berlin',
          occurrences: ['2099-03-28T01:30:00.000Z', '2099-03-29T01:00:00.000Z', '2099-03-30T00:30:00.000Z'],
        },
      ],
    ])
    for (const query of ['', 'from=2026-01-01', 'from=2026-01-02&to=2026-01-01', 'from=x&to=y']) {
      expect((await ask(query)).status).toBe(422)
    }
    expect((await ask('from=2026-01-01&to=2026-01-01')).body).toMatchObject([{ occurrences: [] }, { occurrences: [] }])
  })

  it('blade 133: does not run when it is disabled or has expired, and is gone when it is deleted', async () => {
    const stopped = await tasks.task()
    await tasks.send('POST', `/scheduled-tasks/${stopped.id}/stop`)
    const soon = new Date(Date.now() + 60_000).toISOString()
    const expired = await tasks.task({ cron: '0 0 29 2 *', expires_at: soon })
    const slots = await withStores(server.dataDir, async ({ schedules }) =>
      Promise.all([stopped, expired].map(({ id }) => schedules.findSchedule(asUserId('local'), id))),
    )
    expect(slots.map((schedule) => schedule?.nextSlotAt)).toEqual([undefined, undefined])
    const deleted = await tasks.send('DELETE', `/scheduled-tasks/${stopped.id}`)
    expect([deleted.status, deleted.text]).toEqual([204, ''])
    for (const path of ['', '/runs']) {
      expect((await tasks.send('GET', `/scheduled-tasks/${stopped.id}${path}`)).status).toBe(404)
    }
    expect((await tasks.send('DELETE', `/scheduled-tasks/${stopped.id}`)).status).toBe(404)
    expect(await tasks.runs(expired.id)).toEqual([])
  })

  it('C18: does not run for a user who no longer has a key', async () => {
    const key = await server.createKey('eve')
    const eve = createTaskClient({ ...server, key }, 'eve')
    const { id } = await eve.task()
    const [own] = (await eve.send<readonly { id: string }[]>('GET', '/user/api-keys')).body
    await eve.send('DELETE', `/user/api-keys/${own?.id}`)
    const due = createTaskClient(server, 'eve')
    await due.comeDue(id)
    await eventually(
      () =>
        withStores(server.dataDir, async ({ schedules }) => {
          const schedule = await schedules.findSchedule(asUserId('eve'), id)
          return schedule !== undefined && (schedule.nextSlotAt ?? 0) > Date.now() ? true : undefined
        }),
      'the slot is decided',
    )
    const runs = await withStores(server.dataDir, ({ schedules }) => schedules.listRuns(asUserId('eve'), id))
    expect(runs).toEqual([])
  })

  it('continues after a restart: a run that waits is still a run, and ends with its turn', async () => {
    const asking = await tasks.task({ prompt: call('w1', 'Bash', { command: 'mkdir -p a/b' }) })
    await tasks.comeDue(asking.id)
    const { id, session_id } = await untilStatus(asking.id, 'waiting_for_input')
    await server.restart()
    tasks = createTaskClient(server)
    expect(await tasks.runs(asking.id)).toMatchObject([{ id, status: 'running' }])
    await server.client(V3).cancel(session_id)
    expect(await tasks.ended(asking.id)).toMatchObject({ id, status: 'failed', error: 'It was cancelled.' })
  })

  it('C18: has the rights of its user when it runs, not more than the ceiling', async () => {
    const strict = { permissions: { ceiling: 'read-only' }, defaultAgent: 'scripted' }
    const configFile = join(temp.path, 'strict.config.json')
    const key = await server.createKey('ian')
    const made = await createTaskClient({ ...server, key }, 'ian').task({
      skip_confirmations: true,
      prompt: call('w1', 'Write', { path: 'a', content: 'b' }),
    })
    await writeFile(configFile, JSON.stringify(strict))
    await server.restart({ configFile })
    tasks = createTaskClient(server)
    const ian = createTaskClient({ url: server.url, dataDir: server.dataDir, key }, 'ian')
    await ian.comeDue(made.id)
    const { session_id } = await ian.ended(made.id)
    expect(textOf(await server.client(V3, key).history(session_id, 'full'))).toMatch(
      /Write is not allowed in mode read-only/,
    )
    await server.restart({ configFile: join(temp.path, 'polylogue.config.json') })
    tasks = createTaskClient(server)
  })

  it('is created by an agent on request, for its user, with the same agent', async () => {
    const session = await openSession(server.client(V3), { tools: [{ name: 'Schedule', trust: true }] })
    const input = { action: 'create', title: 'By an agent', prompt: 'say hello', cron: '0 0 1 1 *', timezone: 'UTC' }
    await session.turn(script(call('s1', 'Schedule', input)))
    const list = (await tasks.send<readonly (Task & { title: string })[]>('GET', '/scheduled-tasks')).body
    const made = list.find(({ title }) => title === 'By an agent')
    expect(made).toMatchObject({ prompt: 'say hello', skip_confirmations: false, enabled: true })
    await tasks.comeDue(made?.id ?? '')
    expect(await tasks.ended(made?.id ?? '')).toMatchObject({ status: 'completed' })
  })
})
