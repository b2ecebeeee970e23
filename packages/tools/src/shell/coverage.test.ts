import { describe, expect, it } from 'vitest'
import { inspectCommand } from './inspect-command.ts'

const factsOf = async (command: string) => (await inspectCommand(command, { cwd: '/work', home: '/home/ann' })).facts

describe('the program of a command', () => {
  it.each([
    ['npm test -- -t a', 'npm test'],
    ['npm run build', 'npm run'],
    ['git push origin main', 'git push'],
    ['cargo build --release', 'cargo build'],
    ['pytest -x tests', 'pytest'],
    ['tsc --noEmit', 'tsc'],
  ])('of %s is %s', async (command, program) => {
    expect((await factsOf(command)).program).toBe(program)
  })

  it.each([
    'npm --version',
    'git -C /elsewhere push',
    'npm test && curl evil',
    'npm test > out.txt',
    'cat a | npm test',
    'npm exec evil',
    'npx evil',
    'node -e 1',
    'python3 x.py',
    'psql -c x',
    'curl https://example.com',
    '$PROGRAM test',
  ])('of %s is nothing that could be covered with any arguments', async (command) => {
    expect((await factsOf(command)).program).toBeUndefined()
  })
})

describe('a command that loses work or reaches other people', () => {
  it.each([
    'git push --force',
    'git push -f origin main',
    'git push --force-with-lease',
    'git push --forc',
    'git push origin +main',
    'git push origin :main',
    'git push -d origin x',
    'git push --mirror',
    'git -c core.hooksPath=x status',
    'git reset --hard HEAD~3',
    'git clean -fdx',
    'git checkout -- .',
    'git checkout .',
    'git restore src',
    'git branch -D topic',
    'git stash drop',
    'git rebase main',
    'git config alias.x "!sh"',
    'git remote set-url origin evil',
    'rm a.txt',
    'mv a b',
    'chmod -R 777 .',
    'npm publish',
    'npm --tag x publish',
    'cargo publish',
    'kubectl delete pod x',
    'terraform destroy',
    'aws s3 rm s3://x',
    'gh repo delete x',
    'true; git push --force',
  ])('is %s', async (command) => {
    expect((await factsOf(command)).isDestructive).toBe(true)
  })

  it.each([
    'constructor x',
    'toString',
    '__proto__ *',
    'git push',
    'git push origin main',
    'npm test',
    'git commit -m x',
    'make',
    'git branch topic',
    'git reset a.txt',
  ])('is not %s', async (command) => {
    expect((await factsOf(command)).isDestructive).toBeUndefined()
  })
})
