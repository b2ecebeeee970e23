import type { PromptContent } from './content-blocks.ts'
import { LAYOUT } from './projection/prompt-layout.ts'
import type { GivenCommand } from './slash-command-list.ts'

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

/** Commands that are prompts. The model reads the prompt; the history shows the command. */
export function promptOf({ name, rest }: GivenCommand, typed: string): PromptContent | undefined {
  const prompt = name === 'init' ? INIT : name === 'review' ? REVIEW : undefined
  if (prompt === undefined) return undefined
  const content = rest === '' ? prompt : `${prompt}\n\n${rest}`
  return { content, blobs: [], given: { [LAYOUT]: [{ type: 'text', length: content.length, text: typed }] } }
}
