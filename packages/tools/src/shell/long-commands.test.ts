import { expect, it } from 'vitest'
import { inspectCommand } from './inspect-command.ts'

const names = (count: number, name = 'a'): string => Array.from({ length: count }, (_, index) => name + index).join(' ')
const FOLDERS = 'cd a; cd b; cd c; cd d; cd e; cd f; cd g; '

async function inspect(command: string) {
  const followed: string[] = []
  const follow = (path: string): string => {
    followed.push(path)
    return path
  }
  const { facts } = await inspectCommand(command, { cwd: '/work', home: '/home/ann', roots: ['/work'], follow })
  return { exceeds: facts.exceeds, followed }
}

it.each([
  ['many names in many folders', `${FOLDERS}rm ${names(2_000)}`, 'more than 8000 paths'],
  ['many names to copy in many folders', `${FOLDERS}cp ${names(2_000)}`, 'more than 8000 paths'],
  [
    'many commands of many names',
    Array.from({ length: 40 }, () => `cp ${names(200)}`).join('; '),
    'more than 5000 words',
  ],
  ['a search that starts searches', 'find / -exec '.repeat(20), 'more than 12 wrappers in each other'],
  ['a search that starts many programs', `find .${' -exec true {} +'.repeat(60)}`, 'more than 50 commands'],
  ['more searches than words', 'find / -exec rm '.repeat(3_750), 'more than 5000 words'],
])('%s: refused before anything is looked up', async (_what, command, exceeds) => {
  expect(await inspect(command)).toEqual({ exceeds, followed: [] })
})

it('a command may name thousands of files', async () => {
  expect((await inspect(`git add ${names(3_000, 'src/')}`)).exceeds).toBeUndefined()
})

it('looks each path up once, however many rules want to know', async () => {
  const { followed } = await inspect(`rm -rf ${names(100, './')} ${names(100, 'x/')}`)
  expect(followed.length).toBeGreaterThanOrEqual(200)
  expect(new Set(followed).size).toBe(followed.length)
})

it('leaves the event loop to others while it looks up many paths', async () => {
  let turns = 0
  let isDone = false
  const count = (): void => {
    turns += 1
    if (!isDone) setImmediate(count)
  }
  await inspect('true')
  setImmediate(count)
  await inspect(`rm ${names(2_000)}`)
  isDone = true
  expect(turns).toBeGreaterThanOrEqual(8)
})
