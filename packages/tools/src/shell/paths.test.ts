import { expect, it } from 'vitest'
import { pathsOf } from './paths.ts'

const at = (text: string) => pathsOf({ text }, { folders: ['/work'] })

it.each([
  ['/proc/self/root', '/'],
  ['/proc/self/root/etc', '/etc'],
  ['/proc/1/root//proc/thread-self/root/./etc', '/etc'],
  ['/proc/7/task/8/cwd/../etc', '/etc'],
  ['/proc/self/root/proc/1/cwd/src', '/work/src'],
])('%s is also %s', (text, meant) => {
  expect(at(text)).toContain(meant)
})

it.each(['/proc/self/rooted', '/proc/self/cwds/x', '/proc/root'])('%s is only itself', (text) => {
  expect(at(text)).toEqual([text])
})

it('takes a path through thousands of processes', () => {
  expect(at(`${'/proc/self/root'.repeat(4_000)}/etc`)).toContain('/etc')
})
