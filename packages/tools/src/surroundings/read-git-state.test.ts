import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { readGitState } from './read-git-state.ts'

let place: string
let folder: string
const git = (...args: string[]): void => {
  const names = ['-c', 'user.name=ann', '-c', 'user.email=ann@example.com', '-c', 'commit.gpgsign=false']
  execFileSync('git', [...names, ...args], { cwd: place, stdio: 'ignore' })
}

beforeEach(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), 'git-state-')))
  folder = join(mkdtempSync(join(tmpdir(), 'git-shadow-')), 'copy')
})

describe('the state of a repository', () => {
  it('is nothing when there is none', async () => {
    expect(await readGitState(place, { folder })).toEqual({ type: 'none' })
  })

  it('names the branch and counts changes, also from a folder below', async () => {
    git('init', '-b', 'topic')
    writeFileSync(join(place, 'a.txt'), 'one')
    git('add', '.')
    git('commit', '-m', 'first')
    writeFileSync(join(place, 'a.txt'), 'two')
    writeFileSync(join(place, 'new.txt'), 'x')
    mkdirSync(join(place, 'below'))
    expect(await readGitState(join(place, 'below'), { folder })).toEqual({
      type: 'read',
      top: place,
      branch: 'topic',
      changed: 1,
      untracked: 1,
      ahead: 0,
      behind: 0,
    })
    expect(existsSync(folder)).toBe(false)
  })

  it('runs no program that the repository names', async () => {
    git('init', '-b', 'main')
    git('config', 'core.fsmonitor', `touch ${join(place, 'ran')}; false`)
    git('config', 'core.hooksPath', place)
    expect((await readGitState(place, { folder })).type).not.toBe('none')
    expect(existsSync(join(place, 'ran'))).toBe(false)
  })

  it('says so when a repository cannot be read without its settings', async () => {
    writeFileSync(join(place, '.git'), 'gitdir: /elsewhere')
    expect(await readGitState(place, { folder })).toEqual({ type: 'unreadable', top: place })
  })

  it('is nothing for a repository outside the given roots', async () => {
    git('init')
    mkdirSync(join(place, 'below'))
    expect(await readGitState(join(place, 'below'), { folder, within: [join(place, 'below')] })).toEqual({
      type: 'none',
    })
  })
})
