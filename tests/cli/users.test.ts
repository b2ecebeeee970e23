import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startServerProcess, type ServerProcess } from '../support/server-process.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { type Finished, runPolylogue } from './run-polylogue.ts'

let dir: TempDir
let server: ServerProcess
beforeEach(async () => {
  dir = await createTempDir()
  server = await startServerProcess({ dataDir: dir.path })
})
afterEach(async () => {
  await server.stop()
  await dir.remove()
})

const polylogue = (...args: readonly string[]): Promise<Finished> =>
  runPolylogue(args, { cwd: dir.path, environment: { POLYLOGUE_DATA: dir.path, TZ: 'UTC' } })

const api = (key: string, method: string, path: string, body?: unknown): Promise<Response> =>
  fetch(`${server.url}/api/polylogue${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })

const keyOf = async (user: string): Promise<string> => (await polylogue('keys', 'create', '--user', user)).stdout.trim()

describe('polylogue users', () => {
  it('adds a user with a link, lists it, and removes it when it has no sessions', async () => {
    const added = await polylogue('users', 'add', 'anna')
    expect(added).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Added the user anna\.\nSigns in anna, once/),
    })
    expect(added.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/signin#code=\S+\n$/)
    const key = await keyOf('anna')
    expect((await polylogue('users', 'list')).stdout).toMatch(/^anna +user +1 +0 +never$/m)
    expect(await polylogue('users', 'add', 'anna')).toMatchObject({
      code: 1,
      stderr: 'polylogue: The user anna exists.\n',
    })

    expect(await polylogue('users', 'remove', 'anna')).toMatchObject({ code: 0, stderr: 'Removed anna.\n' })
    expect((await api(key, 'GET', '/me')).status).toBe(401)
    expect((await polylogue('users', 'list')).stdout).not.toContain('anna')
    expect(await polylogue('users', 'remove', 'anna')).toMatchObject({ code: 1, stderr: 'polylogue: No such user.\n' })
  })

  it("keeps a user with sessions unless asked to delete them, and then deletes the user's data", async () => {
    const key = await keyOf('anna')
    const { sessionId } = (await (await api(key, 'POST', '/sessions', {})).json()) as { sessionId: string }
    await api(key, 'POST', '/memory', { content: 'We deploy on Tuesdays.' })
    await api(key, 'POST', '/permissions', { tool: 'Bash', action: 'deny' })
    const refused = await polylogue('users', 'remove', 'anna')
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('polylogue users remove anna --delete-sessions')
    expect((await api(key, 'GET', `/sessions/${sessionId}`)).status).toBe(200)

    const removed = await polylogue('users', 'remove', 'anna', '--delete-sessions')
    expect(removed).toMatchObject({ code: 0, stderr: 'Removed anna and deleted 1 session.\n' })
    const again = await keyOf('anna')
    expect((await api(again, 'GET', `/sessions/${sessionId}`)).status).toBe(404)
    expect(await (await api(again, 'GET', '/memory')).json()).toMatchObject({ total: 0 })
    expect(await (await api(again, 'GET', '/permissions')).json()).toMatchObject({ rules: [] })
  })

  it('lets admins manage users over HTTP, without reading their data', async () => {
    const [anna, ben] = [await keyOf('anna'), await keyOf('ben')]
    const { sessionId } = (await (await api(ben, 'POST', '/sessions', {})).json()) as { sessionId: string }
    expect((await api(anna, 'GET', '/users')).status).toBe(403)
    expect(await polylogue('users', 'role', 'anna', 'admin')).toMatchObject({ stderr: 'anna is now an admin.\n' })

    const { users } = (await (await api(anna, 'GET', '/users')).json()) as { users: readonly { name: string }[] }
    expect(users.map(({ name }) => name)).toEqual(['anna', 'ben', 'local'])
    // An admin gets links for new users only: a link for ben would open his sessions.
    expect((await api(anna, 'POST', '/users', { name: 'ben' })).status).toBe(409)
    expect((await api(anna, 'POST', '/signin-codes', { user: 'ben' })).status).toBe(403)
    expect((await api(anna, 'POST', '/keys', { name: 'x', user: 'ben' })).status).toBe(403)
    expect((await api(anna, 'GET', `/sessions/${sessionId}`)).status).toBe(404)
    expect((await api(anna, 'GET', `/sessions/${sessionId}/events`)).status).toBe(404)
    expect(await (await api(anna, 'GET', '/sessions')).json()).toMatchObject({ sessions: [] })
    expect((await api(anna, 'DELETE', '/users/ben')).status).toBe(409)

    const { keys } = (await (await api(anna, 'GET', '/keys?user=ben')).json()) as { keys: readonly { id: string }[] }
    expect((await api(anna, 'DELETE', `/keys/${keys[0]?.id}`)).status).toBe(204)
    expect((await api(ben, 'GET', '/me')).status).toBe(401)
    // The name stays taken while it has sessions.
    expect((await api(anna, 'POST', '/users', { name: 'ben' })).status).toBe(409)
    expect((await api(anna, 'DELETE', '/users/ben?sessions=delete')).status).toBe(200)
    expect((await api(anna, 'POST', '/users', { name: 'ben' })).status).toBe(201)
  })
})
