/** Reading commands that are on the safe list. */
export const READING_COMMANDS: readonly string[] = [
  'git status',
  'git diff',
  'git log -p',
  'git log -m -p',
  'git show',
  'git show HEAD~1',
  'git blame a.txt',
  'git log --stat --all',
  'git diff HEAD~1',
  'git status --short --branch',
  'git ls-files -m',
  'git stash list',
  'git shortlog -sn HEAD',
  'git describe --always',
]
