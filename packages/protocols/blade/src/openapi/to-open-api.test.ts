import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listOperations } from '../rest/routes.ts'
import { openRest, type Rest } from '../rest/test-support/open-rest.ts'
import type { OpenApiDocument } from './to-open-api.ts'

let rest: Rest
let document: OpenApiDocument
beforeEach(async () => {
  rest = await openRest()
  document = (await rest.send('GET', '/openapi.json', { key: null })).body
})
afterEach(() => rest.close())

/** What one of them asks for, and the others ignore. */
const RANGE = '?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z'

const operationsOf = ({ paths }: OpenApiDocument) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )

describe('the document', () => {
  it('names every operation once and every parameter of its path', () => {
    const operations = operationsOf(document)
    expect(operations.length).toBeGreaterThanOrEqual(37)
    const names = operations.map(({ operation }) => operation.operationId)
    expect(new Set(names).size).toBe(names.length)
    for (const { path, operation } of operations) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      const documented = operation.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
      expect([path, documented]).toEqual([path, inPath])
    }
  })

  it('refers only to schemas that it has', () => {
    const names = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref = '']) => ref)
    expect(names.length).toBeGreaterThan(20)
    for (const ref of new Set(names)) {
      expect(ref).toMatch(/^#\/components\/schemas\//)
      expect(Object.keys(document.components.schemas)).toContain(ref.replace('#/components/schemas/', ''))
    }
  })

  it('says what requests must and may hold', () => {
    const create = document.paths['/api/memories']?.['post']
    expect(create?.requestBody).toMatchObject({
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['content'],
            properties: {
              content: { type: 'string', minLength: 1, maxLength: 500 },
              type: { enum: ['feedback', 'experience'], default: 'feedback' },
            },
          },
        },
      },
    })
    expect(document.paths['/api/sessions']?.['post']?.requestBody?.required).toBe(false)
    expect(document.paths['/api/memories']?.['get']?.parameters).toContainEqual(
      expect.objectContaining({ name: 'limit', in: 'query', required: false }),
    )
    expect(document.paths['/api/sessions']?.['get']?.parameters).toContainEqual(
      expect.objectContaining({
        name: 'limit',
        schema: expect.objectContaining({ type: 'integer', default: 20, minimum: 1 }),
      }),
    )
  })

  it('describes answers as they are', async () => {
    const { session_id: sid } = (await rest.send('POST', '/api/sessions', { body: {} })).body
    await rest.send('POST', '/api/memories', { body: { content: 'x' } })
    const { turnId } = await rest.say(sid, 'hi')
    await rest.untilRecorded(sid, ({ event }) => event.type === 'turn.ended' && event.turnId === turnId)
    for (const { method, path, answer } of listOperations(rest.deps)) {
      const isRead = method === 'GET' && answer !== undefined && !/\{(?!sid)/.test(path)
      if (!isRead) continue
      const { body } = await rest.send('GET', path.replace('{sid}', sid) + RANGE)
      expect([path, answer.parse(body)]).toEqual([path, body])
    }
  })
})
