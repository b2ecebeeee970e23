import { describe, expect, it } from 'vitest'
import { askedWords, memoryWords } from './memory-words.ts'
import { rankMemories } from './rank-memories.ts'

/** The numbers of the memories, from 1, that a question finds. */
function find(question: string, memories: readonly string[]): readonly number[] {
  const asked = askedWords(question)
  const all = memories.map((content, index) => ({ memoryId: index + 1, words: memoryWords(content) }))
  const total = all.reduce((sum, { words }) => sum + words.length, 0)
  const candidates = all.filter(({ words }) => words.some((word) => asked.includes(word)))
  return rankMemories(asked, { count: all.length, averageWords: total / all.length, candidates })
}

const KEPT = [
  'Deploy to production on Tuesdays only',
  'I drink green tea without sugar',
  '数据库密码每月更换一次',
  '代码评审由李雷负责',
]

describe('a question', () => {
  it.each([
    ['When may we deploy this?', [1]],
    ['How much sugar goes into the tea?', [2]],
    ['密码应该多久更换?', [3]],
    ['谁做代码评审?', [4]],
    ['What is the capital of France?', []],
    ['Please tell me what I should do with this one', []],
    ['明天天气怎么样?', []],
    ['写一首关于秋天的诗', []],
    ['Write a haiku and explain how it works', []],
    ['我应该怎么做这个?', []],
    ['', []],
  ])('%j finds %j', (question, found) => {
    expect(find(question, KEPT)).toEqual(found)
    expect(find(question, found.length === 0 ? KEPT.slice(0, 1) : KEPT)).toEqual(found)
  })

  it('finds the only memory that there is', () => {
    expect(find('when do we deploy?', ['Deploy on Tuesdays only'])).toEqual([1])
  })

  it('ranks by shared terms and by their rarity', () => {
    const memories = ['green paint', 'green tea from Japan', 'black tea', 'green car']
    expect(find('green tea', memories)[0]).toBe(2)
    const reports = Array.from({ length: 60 }, (_, index) => `report ${index} of project ${index}`)
    expect(find('the project of the walrus', [...reports, 'the walrus project'])).toEqual([61])
  })

  it('prefers the newer of two that are the same', () => {
    expect(find('tea', ['green tea', 'green tea'])).toEqual([2, 1])
  })

  it('is about none of many memories by a word that nearly all of them have', () => {
    const memories = Array.from({ length: 100 }, (_, index) => `project number${index}`)
    expect(find('my project', memories)).toEqual([])
    expect(find('project number7', memories)).toEqual([8])
  })

  it('needs more than one word in common when it is a whole page', () => {
    const page = Array.from({ length: 100 }, (_, index) => `word${index}`).join(' ')
    expect(find(`${page} tea`, KEPT)).toEqual([])
    expect(find(`${page} green tea without sugar`, KEPT)).toEqual([2])
  })
})
