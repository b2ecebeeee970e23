import {
  asSessionId,
  type CallInspection,
  type JsonObject,
  type Tool,
  type ToolInvocation,
  type ToolOutput,
  type Workspace,
} from '@polylogue/engine'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createProtectedSet } from '../../protected/protected-set.ts'
import { createFileTools, type FileToolsOptions } from '../file-tools.ts'

/** A workspace in a temporary directory that is removed after the test. */
export interface Workbench {
  /** The directory that contains the workspace and the files outside it. */
  readonly dir: string
  readonly workspace: Workspace
  /** Writes a file below `dir` and returns its absolute path. */
  file(path: string, content?: string | Buffer): string
  text(path: string): string
  run(name: string, input: JsonObject, signal?: AbortSignal): Promise<ToolOutput>
  /** The output, also of a failed call. */
  say(name: string, input: JsonObject): Promise<string>
  inspect(name: string, input: JsonObject): Promise<CallInspection>
  tool(name: string): Tool
}

export interface WorkbenchOptions extends Omit<FileToolsOptions, 'protectedSet'> {
  /** Below `dir`. */
  readonly secret?: readonly string[]
  readonly guarded?: readonly string[]
  /** Below `dir`, the working directory first. Default: `ws`. */
  readonly roots?: readonly string[]
}

type CreateInvocation = (
  tool: Tool,
  input: JsonObject,
  options: { readonly workspace: Workspace; readonly signal?: AbortSignal },
) => ToolInvocation

/** Tests pass `createInvocation` of the testkit, which only they may import. */
export function workbenchWith(createInvocation: CreateInvocation): (options?: WorkbenchOptions) => Workbench {
  return (options = {}) => createWorkbench(createInvocation, options)
}

function createWorkbench(createInvocation: CreateInvocation, options: WorkbenchOptions): Workbench {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'polylogue-test-')))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const roots = (options.roots ?? ['ws']).map((root) => join(dir, root))
  for (const root of roots) mkdirSync(root, { recursive: true })
  const under = (paths: readonly string[] = []) => paths.map((path) => join(dir, path))
  const protectedSet = createProtectedSet({ secret: under(options.secret), guarded: under(options.guarded), homes: [] })
  const tools = createFileTools({ ...options, protectedSet })
  const workspace = { cwd: roots[0] ?? dir, roots }
  const tool = (name: string): Tool => {
    const found = tools.find((each) => each.name === name)
    if (!found) throw new Error(`there is no ${name}`)
    return found
  }
  const run: Workbench['run'] = async (name, input, signal) =>
    tool(name).run(createInvocation(tool(name), input, { workspace, ...(signal && { signal }) }))
  return {
    dir,
    workspace,
    tool,
    run,
    file(path, content = '') {
      const whole = join(dir, path)
      mkdirSync(dirname(whole), { recursive: true })
      writeFileSync(whole, content)
      return whole
    },
    text: (path) => readFileSync(join(dir, path), 'utf8'),
    async say(name, input) {
      try {
        const { content } = await run(name, input)
        return typeof content === 'string' ? content : JSON.stringify(content)
      } catch (error) {
        return error instanceof Error ? error.message : String(error)
      }
    },
    async inspect(name, input) {
      const check = tool(name).check(input)
      if (!check.ok) throw new Error(check.problem)
      const from = { sessionId: asSessionId('s'), signal: new AbortController().signal }
      const inspection = await tool(name).inspect?.(check.input, workspace, from)
      if (!inspection) throw new Error(`${name} has no inspect`)
      return inspection
    },
  }
}

/** How many files this process has open. */
export function countOpenFiles(): number {
  return readdirSync('/proc/self/fd').length
}
