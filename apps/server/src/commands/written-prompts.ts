import type { SessionCommand } from '@polylogue/kit'

/** A command whose prompt is written here. */
export interface WrittenPrompt extends SessionCommand {
  readonly prompt: string
}

const INIT = `Write the file AGENTS.md at the root of this project, for coding agents that will work on it.

First look: the files at the root, the build and test configuration, the folders, some source files, and any AGENTS.md, CLAUDE.md,
README or contribution guide. Then write, in under 60 lines: what the project is; the commands to build, run, test (also a single test)
and check it, as they are in its configuration; how the code is organised; conventions that the code follows and a newcomer would
miss. State only what you have seen. Keep what is right in an AGENTS.md that is already there.`

const REVIEW = `Review changes of code as a careful colleague.

Unless something else is named below, review what is not committed: git status, git diff, git diff --staged, and new files. If there is
nothing, review the last commit. Read the changed files, and what calls them, as far as you need to be sure. Change nothing.

Report real problems only, the worst first: mistakes in behaviour, missing cases, security, broken contracts, missing tests. For each: file
and line, what goes wrong and when, and a suggestion. If there are none, say so.`

export const WRITTEN_PROMPTS: readonly WrittenPrompt[] = [
  {
    name: 'init',
    description: 'Look at the project and write an AGENTS.md for it',
    hint: 'what to stress',
    prompt: INIT,
  },
  {
    name: 'review',
    description: 'Review changes, by default those that are not committed',
    hint: 'what',
    prompt: REVIEW,
  },
]
