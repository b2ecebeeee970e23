import { judgeCall, issueGrant, type Preset, type Tool } from '@polylogue/engine'
import { createInvocation, testDigest } from '@polylogue/testkit'
import { createBashTool } from '@polylogue/tools'
import { join } from 'node:path'
import type { GitAttack } from './git-configurations.ts'
import { createGitWorld } from './git-world.ts'
import { READING_COMMANDS } from './reading-commands.ts'

export interface GitReadings {
  /** Attacks that work with plain Git. */
  readonly counted: number
  readonly notWorking: readonly string[]
  /** Commands that ran unasked. */
  readonly unasked: number
  readonly executions: readonly string[]
}

const PRESETS: readonly Preset[] = ['read-only', 'plan', 'workspace-write', 'full-access']

export interface ReadingPlan {
  readonly presets: readonly Preset[]
  /** Every command, or only the one for which plain Git runs the program. */
  readonly commands: 'all' | 'worst'
}

/** Reads each attacked repository as a session would. */
export async function readWithGit(
  attacks: readonly GitAttack[],
  { presets, commands }: ReadingPlan = { presets: PRESETS, commands: 'all' },
): Promise<GitReadings> {
  const world = createGitWorld()
  const notWorking: string[] = []
  const executions: string[] = []
  let [counted, unasked] = [0, 0]
  try {
    for (const [index, attack] of attacks.entries()) {
      const repository = world.create(attack)
      const worst = repository.worksPlainly()
      if (worst === undefined) {
        notWorking.push(attack.name)
        repository.remove()
        continue
      }
      counted += 1
      const state = join(repository.path, '..', 'state')
      const sandbox = index % 2 === 0 ? 'required' : 'none'
      const tool = createBashTool({ stateDir: state, outputDir: join(state, 'outputs'), sandbox })
      for (const command of commands === 'all' ? READING_COMMANDS : [worst]) {
        for (const preset of presets) {
          if (await runIfAllowed(tool, command, { cwd: repository.path, preset })) unasked += 1
          if (repository.hasRun()) executions.push(`${attack.name}: ${command} in ${preset}, sandbox ${sandbox}`)
        }
      }
      repository.remove()
    }
    return { counted, notWorking, unasked, executions }
  } finally {
    world.remove()
  }
}

/** As the engine does: inspect, judge, and run what is allowed without a question. */
async function runIfAllowed(
  tool: Tool,
  command: string,
  { cwd, preset }: { readonly cwd: string; readonly preset: Preset },
): Promise<boolean> {
  const workspace = { cwd, roots: [cwd] }
  const inspection = await tool.inspect?.({ command }, workspace)
  if (inspection?.facts.type !== 'shell') throw new Error('Bash tells shell facts')
  const policy = {
    preset,
    access: { type: 'preset' as const },
    denyRules: [],
    userRules: [],
    hosts: { allow: [], block: [] },
    isOwn: true,
    mayRunUnconfined: true,
  }
  const { decision } = judgeCall({ tool, input: { command }, facts: inspection.facts, policy })
  // In full-access everything runs: of that only what is judged harmless is ours to answer for.
  if (decision !== 'allow' || inspection.facts.risk !== 'safe') return false
  const invocation = createInvocation(tool, { command }, { workspace })
  const call = { tool: tool.name, input: { command }, cwd, policy: 'test', isHarmless: true as const }
  await tool.run({ ...invocation, grant: issueGrant(call, testDigest) })
  return true
}
