import { expect, it } from 'vitest'
import type { Door } from './door.ts'
import { createRefusalWords, findDoor } from './find-door.ts'

const door = (name: string, ...paths: readonly string[]): Door => ({
  name,
  paths,
  refuse: ({ message }) => ({ [name]: message }),
  clients: () => [],
  end: async () => undefined,
  close: async () => undefined,
})

const DOORS = [door('wide', '/api', '/other'), door('narrow', '/api/own')]

it('a path belongs to the door with the longest prefix, in any order of the doors', () => {
  const asked = ['/api', '/api/x', '/api?x=/api/own', '/api/owner', '/api/own', '/api/own/x', '/api/own?x', '/other/x']
  const expected = ['wide', 'wide', 'wide', 'wide', 'narrow', 'narrow', 'narrow', 'wide']
  for (const doors of [DOORS, DOORS.toReversed()]) {
    expect(asked.map((path) => findDoor(doors, path)?.name)).toEqual(expected)
  }
})

it('a path that only begins like one of a door belongs to none', () => {
  expect(['/', '', '/apis', '/API', '//api', 'http://host/api', '*'].map((path) => findDoor(DOORS, path))).toEqual(
    Array.from({ length: 7 }),
  )
})

it('a refusal is in the words of the door, and an error where no door is', () => {
  const words = createRefusalWords(DOORS)
  const refusal = { status: 503, message: 'no' }
  expect(['/api/x', '/api/own/x', '/'].map((path) => words(path, refusal))).toEqual([
    { wide: 'no' },
    { narrow: 'no' },
    { error: 'no' },
  ])
})
