import { expect, it } from 'vitest'
import { refusalBody } from './refusal-body.ts'

it('a refusal is a detail below /api, and an error everywhere else', () => {
  const asked = [
    '/api',
    '/api/sessions',
    '/api/polylogues',
    '/api/polylogue',
    '/api/polylogue/keys',
    '/apis',
    '/aap/v3',
  ]
  expect(asked.map((path) => Object.keys(refusalBody(path, 'no'))[0])).toEqual([
    'detail',
    'detail',
    'detail',
    'error',
    'error',
    'error',
    'error',
  ])
})
