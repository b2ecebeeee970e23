import { expect, it } from 'vitest'
import { crossAnswers } from './crossed-answers.ts'

it('200 clients with equal ids get their own answers', async () => {
  expect(await crossAnswers({ clients: 200, callsEach: 2 })).toEqual([])
})
