import type { Clock, EditorOf, MemoryStore, Tool } from '@polylogue/engine'
import {
  createAgentTool,
  createBackgroundTool,
  createBashTool,
  createDiagnosticsTool,
  createFileTools,
  createQuestionTool,
  createRememberTool,
  createScheduleTool,
  createSkillTool,
  createTodoTool,
  createWebFetchTool,
  toolCachesDir,
  type BackgroundProcesses,
  type BashToolOptions,
  type ProtectedSet,
  type ScheduleToolOptions,
  type Skill,
  type SubAgent,
} from '@polylogue/tools'
import { join } from 'node:path'
import { LOCAL_USER } from '../auth/key-ring.ts'
import { BUILT_IN_TOOLS, type BuiltInToolName } from '../config/built-in-names.ts'
import type { ToolSettings } from '../config/tool-settings.ts'
import { readBeyond } from './read-beyond.ts'

export interface BuiltInParts extends ToolSettings {
  readonly dataDir: string
  /** Where long outputs go, in a folder for each session. */
  readonly outputDir: string
  readonly protectedSet: ProtectedSet
  /** No sandbox works here. */
  readonly isUnconfined: boolean
  readonly clock: Clock
  readonly skills: readonly Skill[]
  readonly remember: MemoryStore['addMemory']
  readonly schedule: ScheduleToolOptions
  /** The commands that `Bash` keeps running. */
  readonly processes: BackgroundProcesses
  /** Who has a session open in an editor that does things for its tools. */
  readonly editorOf?: EditorOf | undefined
}

export interface BuiltInTools {
  find(name: BuiltInToolName, subAgents: readonly SubAgent[]): Tool
  all(subAgents: readonly SubAgent[]): readonly Tool[]
}

const READING_TOOLS: ReadonlySet<string> = new Set(['Read', 'Glob', 'Grep'] satisfies BuiltInToolName[])

/** Where `Bash` notes what runs, so that a successor can end it. */
export const bashStateDir = (dataDir: string): string => join(dataDir, 'bash')

/** Caches of package managers, by workspace. */
export const cachesDir = (dataDir: string): string => toolCachesDir(bashStateDir(dataDir))

/** Long outputs of `Bash`, in a folder for each session. */
export const outputsDir = (filesDir: string): string => join(bashStateDir(filesDir), 'outputs')

export function createBuiltInTools(parts: BuiltInParts): BuiltInTools {
  const {
    dataDir,
    outputDir,
    clock,
    bash,
    webFetch,
    skills,
    remember,
    schedule,
    processes,
    editorOf,
    protectedSet,
    isUnconfined,
  } = parts
  const stateDir = bashStateDir(dataDir)
  const skillFolders = skills.map(({ directory }) => directory)
  const bashOptions: BashToolOptions = {
    ...bash,
    network: bash.network === true,
    stateDir,
    outputDir,
    protectedSet,
    isUnconfined,
    ownUser: LOCAL_USER,
    skills: skillFolders,
    processes,
    editorOf,
  }
  const tools = new Map<string, Tool>(
    [
      ...createFileTools({ protectedSet, editorOf }).map((tool) =>
        READING_TOOLS.has(tool.name) ? readBeyond(tool, skillFolders) : tool,
      ),
      createBashTool(bashOptions),
      createDiagnosticsTool(bashOptions),
      createBackgroundTool({ processes }),
      createWebFetchTool({ ...webFetch, clock }),
      createQuestionTool(),
      createTodoTool(),
      createRememberTool({ remember }),
      createScheduleTool(schedule),
      createSkillTool({ skills }),
    ].map((tool) => [tool.name, tool]),
  )
  const find = (name: BuiltInToolName, subAgents: readonly SubAgent[]): Tool => {
    const tool = name === 'Agent' ? createAgentTool(subAgents) : tools.get(name)
    if (tool === undefined) throw new Error(`the built-in tool ${name} is missing`)
    return tool
  }
  return { find, all: (subAgents) => BUILT_IN_TOOLS.map((name) => find(name, subAgents)) }
}
