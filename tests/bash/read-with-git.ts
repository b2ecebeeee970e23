import { judgeCall, issueGrant, type Preset, type Tool } from '@polylogue/engine'
import { createInvocation, testDigest } from '@polylogue/testkit'
import { createBashTool } from '@polylogue/tools'
import { join } from 'node:path'
import type { GitAttack } from './git-configurations.ts'
import { type AttackedRepository, createGitWorld } from './git-world.ts'
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

/** Repositories that are read at the same time. */
const AT_ONCE = 4

/** Reads each attacked repository as a session would, every second one without a sandbox. */
export async function readWithGit(
  attacks: readonly GitAttack[],
  plan: ReadingPlan = { presets: PRESETS, commands: 'all' },
): Promise<GitReadings> {
  const world = createGitWorld()
  const result = { counted: 0, notWorking: [] as string[], unasked: 0, executions: [] as string[] }
  const left = attacks.entries()
  const work = async (): Promise<void> => {
    for (const [index, attack] of left) {
      const repository = world.create(attack)
      const worst = await repository.worksPlainly()
      if (worst === undefined) result.notWorking.push(attack.name)
      else {
        const commands = plan.commands === 'all' ? READING_COMMANDS : [worst]
        const sandbox = index % 2 === 0 ? 'required' : 'none'
        const { unasked, executions } = await readAttacked(repository, { presets: plan.presets, commands, sandbox })
        result.counted += 1
        result.unasked += unasked
        result.executions.push(...executions.map((how) => `${attack.name}: ${how}`))
      }
      repository.remove()
    }
  }
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    return result
  } finally {
    world.remove()
  }
}

interface Reading {
  readonly presets: readonly Preset[]
  readonly commands: readonly string[]
  readonly sandbox: 'required' | 'none'
}

/** A command is judged once in each preset, and run once: a tool does not know the preset, only its grant. */
async function readAttacked(
  { path, hasRun }: AttackedRepository,
  { presets, commands, sandbox }: Reading,
): Promise<Pick<GitReadings, 'unasked' | 'executions'>> {
  const state = `${path}-state`
  const tool = createBashTool({ stateDir: state, outputDir: join(state, 'outputs'), sandbox })
  const executions: string[] = []
  let unasked = 0
  for (const command of commands) {
    const allowing: Preset[] = []
    for (const preset of presets) {
      if (await isAllowed(tool, command, { cwd: path, preset })) allowing.push(preset)
    }
    if (hasRun()) executions.push(`${command} when it is judged`)
    if (allowing.length === 0) continue
    unasked += allowing.length
    const invocation = createInvocation(tool, { command }, { workspace: { cwd: path, roots: [path] } })
    const call = { tool: tool.name, input: { command }, cwd: path, policy: 'test', isHarmless: true as const }
    await tool.run({ ...invocation, grant: issueGrant(call, testDigest) })
    if (hasRun()) executions.push(`${command} in ${allowing.join(', ')}, sandbox ${sandbox}`)
  }
  return { unasked, executions }
}

/** As the engine does: inspect and judge. */
async function isAllowed(
  tool: Tool,
  command: string,
  { cwd, preset }: { readonly cwd: string; readonly preset: Preset },
): Promise<boolean> {
  const inspection = await tool.inspect?.({ command }, { cwd, roots: [cwd] })
  if (inspection?.facts.type !== 'shell') throw new Error('Bash tells shell facts')
  const policy = {
    preset,
    access: { type: 'preset' as const },
    denyRules: [],
    userRules: [],
    hosts: { allow: [], block: [] },
    isOwn: true,
    mayRunUnconfined: true,
    mayUseNetwork: true,
  }
  const { decision } = judgeCall({ tool, input: { command }, facts: inspection.facts, policy })
  // In full-access everything runs: of that only what is judged harmless is ours to answer for.
  return decision === 'allow' && inspection.facts.risk === 'safe'
}
