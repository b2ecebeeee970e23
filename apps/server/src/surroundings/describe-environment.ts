import type { Workspace } from '@polylogue/engine'
import type { GitReading } from '@polylogue/tools'

export interface EnvironmentFacts {
  readonly workspace: Pick<Workspace, 'cwd' | 'roots'>
  /** Such as `Linux 6.8.0 (x64)`. */
  readonly platform: string
  /** `2026-03-01`, and its time zone. */
  readonly date: string
  readonly shell: string
  readonly sandbox: string
  readonly git: GitReading
}

/** The block of the system prompt that says where the agent works. */
export function describeEnvironment(facts: EnvironmentFacts): string {
  const { workspace, platform, date, shell, sandbox, git } = facts
  const others = workspace.roots.filter((root) => root !== workspace.cwd)
  const lines = [
    `Working directory: ${workspace.cwd}`,
    ...(others.length > 0 ? [`Other directories you can use: ${others.join(', ')}`] : []),
    `Platform: ${platform}`,
    `Date: ${date}`,
    `Shell of Bash: ${shell}`,
    `Sandbox of Bash: ${sandbox}`,
    `Git: ${describeGit(git, workspace.cwd)}`,
  ]
  return `# Environment\n\n${lines.map((line) => `- ${oneLine(line)}`).join('\n')}`
}

function describeGit(git: GitReading, cwd: string): string {
  switch (git.type) {
    case 'none':
      return 'the working directory is not in a repository'
    case 'unreadable':
      return `a repository at ${git.top}, not read yet`
    case 'read': {
      const counts = [
        git.changed === 0 && git.untracked === 0 ? 'clean' : undefined,
        git.changed > 0 ? `${git.changed} changed` : undefined,
        git.untracked > 0 ? `${git.untracked} untracked` : undefined,
        git.ahead > 0 ? `${git.ahead} ahead` : undefined,
        git.behind > 0 ? `${git.behind} behind` : undefined,
      ].filter((part) => part !== undefined)
      const where = git.top === cwd ? '' : `, top directory ${git.top}`
      const branch = git.branch === undefined ? 'no branch (detached)' : `branch ${git.branch}`
      return `${branch}, ${counts.join(', ')}${where}; read when this conversation began`
    }
  }
}

/** A branch or a directory can have any name. It must not start a line of its own in the prompt. */
const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
