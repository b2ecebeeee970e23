import type { ListSessionsResponse } from '@agentclientprotocol/sdk'
import { toReadableLine } from '@polylogue/engine'
import { isAbsolute } from 'node:path'
import { z } from 'zod'
import { parseParams, toParams } from '../parse-params.ts'
import { invalidParams } from '../rpc/rpc-error.ts'
import { resolved } from './check-directory.ts'
import type { Connection } from './connection.ts'

const listing = z.object({
  cwd: z.string().refine(isAbsolute, 'must be an absolute path').nullish(),
  cursor: z.string().nullish(),
})

/** `session/list`: sessions with at least one input, the most recently changed first. */
export async function listSessions(connection: Connection, params: unknown): Promise<ListSessionsResponse> {
  connection.requireHandshake()
  const { cwd, cursor } = parseParams(listing, toParams(params ?? {}))
  const { engine, workspaces, limits } = connection.deps
  const offset = cursor === undefined || cursor === null ? 0 : readCursor(cursor)
  const { sessions, total } = await engine.findSessions(connection.options.userId, {
    ...(typeof cwd === 'string' && { directory: await resolved(cwd) }),
    isStarted: true,
    order: 'newest-first',
    offset,
    limit: limits.pageSize,
  })
  const end = offset + sessions.length
  return {
    sessions: sessions.map((view) => ({
      sessionId: view.sessionId,
      cwd: workspaces.locate(view).cwd,
      ...(view.directories.length > 1 && { additionalDirectories: view.directories.slice(1) }),
      ...(view.title !== undefined && { title: toReadableLine(view.title) }),
      updatedAt: new Date(view.updatedAt).toISOString(),
    })),
    ...(end < total && sessions.length > 0 && { nextCursor: toCursor(end) }),
  }
}

const toCursor = (offset: number): string => Buffer.from(`after:${offset}`).toString('base64url')

function readCursor(cursor: string): number {
  const offset = Number(/^after:(\d{1,9})$/.exec(Buffer.from(cursor, 'base64url').toString('utf8'))?.[1])
  if (!Number.isInteger(offset) || toCursor(offset) !== cursor)
    throw invalidParams('cursor', 'is not a cursor of this server')
  return offset
}
