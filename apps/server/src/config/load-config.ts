// Finds, reads and checks the configuration. A server starts with all of it, or fails with one line. It is read once, from
// the start directory or `--config`, and never from a session's working directory.
import { spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { readFile, readdir, stat } from 'node:fs/promises'
import { dirname, extname, join, relative, resolve } from 'node:path'
import type { Tool } from '@polylogue/engine'
import type { AcpSettings } from '../acp/acp-settings.ts'
import type { ProviderConfigs } from '@polylogue/models'
import { oneLine, parseWith, type McpServer, type Skill } from '@polylogue/tools'
import type { AgentSettings } from './agent-schema.ts'
import { ConfigError } from './config-error.ts'
import { CONFIG_FILE_NAMES } from './config-file-names.ts'
import { configSchema } from './config-schema.ts'
import type { ModelName } from './define-agent.ts'
import type { PermissionSettings } from '../permissions/permissions-schema.ts'
import type { BudgetSettings, PriceSettings } from '../usage/cost-schema.ts'
import { hasModuleSyntax, importConfig } from './import-config.ts'
import { BUILT_IN_TOOLS, isBuiltInTool, type BuiltInToolName } from './built-in-names.ts'
import type { OidcSettings } from '../auth/oidc-schema.ts'
import type { Limits } from './limits.ts'
import type { ToolSettings } from './tool-settings.ts'
import { parseJson } from './parse-json.ts'
import { readMarkdownAgent } from './read-markdown-agent.ts'
import { readSkills } from './read-skills.ts'

export interface LoadedConfig {
  /** The folder of the configuration and of `agents`, whether or not they exist. */
  readonly directory: string
  /** The configuration file as messages show it. Absent: there is none. */
  readonly file?: string
  /** The absolute path of the file. */
  readonly path?: string
  /** Agents of the configuration file first, then agents in Markdown by name. */
  readonly agents: readonly LoadedAgent[]
  readonly defaultAgent?: string
  readonly defaultModel?: ModelName
  readonly providers: ProviderConfigs
  readonly recovery: 'continue' | 'interrupt'
  readonly limits: Limits
  readonly permissions: PermissionSettings
  readonly prices: PriceSettings
  readonly budgets: BudgetSettings
  readonly acp: AcpSettings
  readonly mcpServers: readonly McpServer[]
  readonly bash: ToolSettings['bash']
  readonly webFetch: ToolSettings['webFetch']
  readonly skills: readonly Skill[]
  /** Absolute paths. Tools must not write there: a file would become a skill. */
  readonly skillDirectories: readonly string[]
  readonly signIn: { readonly oidc?: OidcSettings }
  /** The pages that may show a session in a frame. */
  readonly embed: { readonly hosts: readonly string[] }
  /** Sessions that did not change for so long are deleted. Absent: none. */
  readonly retention: { readonly days?: number }
  readonly allowOrigins: readonly string[]
  readonly publicUrl?: string
  readonly trustedProxies: readonly string[]
}

export interface LoadedAgent extends AgentSettings {
  readonly tools: readonly (Tool | BuiltInToolName)[]
  /** Absolute. */
  readonly workspace?: string
  /** Where it is defined, as messages show it. */
  readonly origin: string
}

const LARGEST_FILE = 1024 * 1024

/** Throws `ConfigError`. `file` is relative to `directory`. */
export async function loadConfig(place: { readonly file?: string; readonly directory: string }): Promise<LoadedConfig> {
  const directory = resolve(place.directory)
  const path = place.file === undefined ? await findConfig(directory) : resolve(directory, place.file)
  const file = path && labelOf(directory, path)
  const parsed = parseWith(configSchema, path && file ? await readConfig(path, file) : {}, { jitless: true })
  if (!parsed.ok) throw new ConfigError(`${file}: ${parsed.problem}`)
  const { agents, tools, skills, ...rest } = parsed.value
  const own = agents.map((agent, index) => resolveTools({ ...agent, origin: file ?? '' }, tools, `agents[${index}].`))
  const inMarkdown = await readAgents(path ? dirname(path) : directory, directory)
  const all = [...own, ...inMarkdown.map((agent) => resolveTools(agent, tools, ''))]
  refuseRepeatedAgents(all)
  refuseUnknownSubAgents(all)
  refuseUnknownServers(all, rest.mcpServers)
  const folder = path ? dirname(path) : directory
  return {
    ...rest,
    file,
    ...(path !== undefined && { path }),
    directory: folder,
    agents: all.map((agent) => resolveWorkspace(agent, folder)),
    ...(await readSkills(skills, folder)),
  }
}

async function findConfig(directory: string): Promise<string | undefined> {
  const names = new Set(await listFolder(directory))
  const found = CONFIG_FILE_NAMES.filter((name) => names.has(name) && !isFolder(join(directory, name)))
  if (found.length > 1) throw new ConfigError(`${found.join(' and ')}: only one of them may exist`)
  return found[0] && join(directory, found[0])
}

async function readConfig(path: string, file: string): Promise<unknown> {
  if (extname(path) === '.json') return parseJson(file, await readText(path, file))
  if (!['.ts', '.mts', '.js', '.mjs'].includes(extname(path))) {
    throw new ConfigError(`${file}: must be a .ts, .mts, .js, .mjs or .json file`)
  }
  await readText(path, file)
  const config = await importConfig(path).catch((error: unknown) => {
    throw new ConfigError(`${file}: ${faultOf(error, path)}`)
  })
  if (config === undefined) throw new ConfigError(`${file}: must end with export default defineConfig({ … })`)
  return config
}

/** The agents in `agents/*.md` of a folder, by name. */
async function readAgents(folder: string, directory: string): Promise<readonly MarkdownAgent[]> {
  const names = (await listFolder(join(folder, 'agents'))).filter((name) => name.endsWith('.md')).sort()
  return Promise.all(
    names.map(async (name) => {
      const path = join(folder, 'agents', name)
      const origin = labelOf(directory, path)
      return { ...(await readMarkdownAgent(origin, await readText(path, origin))), origin }
    }),
  )
}

type MarkdownAgent = AgentSettings & { readonly origin: string }

function resolveTools(agent: MarkdownAgent, shared: readonly Tool[], path: string): LoadedAgent {
  const refuse = (index: number, problem: string): never => {
    throw new ConfigError(`${agent.origin}: ${path}tools[${index}]: ${problem}`)
  }
  const tools = agent.tools.map((tool, index) => {
    if (typeof tool !== 'string') return tool
    if (isBuiltInTool(tool)) return tool
    const known = [...shared.map(({ name }) => name), ...BUILT_IN_TOOLS].join(', ')
    return shared.find(({ name }) => name === tool) ?? refuse(index, `no tool is named ${tool}; there are ${known}`)
  })
  const names = tools.map((tool) => (typeof tool === 'string' ? tool : tool.name))
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) < index) refuse(index, `${name} occurs twice`)
  }
  return { ...agent, tools }
}

function resolveWorkspace(agent: LoadedAgent, folder: string): LoadedAgent {
  return agent.workspace === undefined ? agent : { ...agent, workspace: resolve(folder, agent.workspace) }
}

function refuseUnknownSubAgents(agents: readonly LoadedAgent[]): void {
  const names = new Set(agents.map(({ name }) => name))
  for (const { origin, name, subAgents } of agents) {
    const unknown = subAgents.find((subAgent) => !names.has(subAgent))
    if (unknown !== undefined) throw new ConfigError(`${origin}: subAgents of ${name}: no agent is named ${unknown}`)
  }
}

function refuseUnknownServers(agents: readonly LoadedAgent[], servers: readonly McpServer[]): void {
  const names = new Set(servers.map(({ name }) => name))
  for (const { origin, name, mcpServers = [] } of agents) {
    const unknown = mcpServers.find((server) => !names.has(server))
    if (unknown !== undefined) throw new ConfigError(`${origin}: mcpServers of ${name}: there is no server ${unknown}`)
  }
}

function refuseRepeatedAgents(agents: readonly LoadedAgent[]): void {
  const origins = new Map<string, string>()
  for (const { name, origin } of agents) {
    const other = origins.get(name)
    if (other !== undefined) throw new ConfigError(`${origin}: ${other} has an agent named ${name} too`)
    origins.set(name, origin)
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

async function listFolder(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (isFileError(error, 'ENOENT') || isFileError(error, 'ENOTDIR')) return []
    throw new ConfigError(`${folder}: ${messageOf(error)}`, { cause: error })
  }
}

async function readText(path: string, file: string): Promise<string> {
  try {
    const found = await stat(path)
    if (!found.isFile()) throw new ConfigError(`${file}: must be a regular file`)
    if (found.size > LARGEST_FILE) throw new ConfigError(`${file}: larger than ${LARGEST_FILE} bytes`)
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof ConfigError) throw error
    const problem = isFileError(error, 'ENOENT') ? 'there is no such file' : messageOf(error)
    throw new ConfigError(`${file}: ${problem}`, { cause: error })
  }
}

/** A relative path for files in the start directory, else the absolute path. */
function labelOf(directory: string, path: string): string {
  const short = relative(directory, path) || '.'
  return short.startsWith('..') ? path : short
}

function isFileError(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

/** Explains why a module does not load. Never quotes the unknown name: it may be a secret without quotes. */
function faultOf(error: unknown, path: string): string {
  if (error instanceof SyntaxError) return `${placeOf(error, path)}${withoutWord(messageOf(error))}`
  if (error instanceof ReferenceError && error.message.endsWith(' is not defined')) {
    const [, line, column] = /^ +at .*:(\d+):(\d+)\)?$/m.exec(error.stack ?? '') ?? []
    const place = line === undefined ? '' : `line ${line}, column ${column}: `
    return `${place}an undefined name; strings need quotes`
  }
  return withoutWord(messageOf(error))
}

const withoutWord = (message: string): string => message.replace(/^(Unexpected \w+) ['`].*$/, '$1')

/** Node reports the line of an error in TypeScript but not in JavaScript, so JavaScript is parsed again. */
function placeOf(error: SyntaxError, path: string): string {
  const place = /^(?:file:\/\/)?(.+):(\d+)\n/.exec(error.stack ?? '') ?? placeInScript(path)
  if (place === undefined) return ''
  const [, file = '', line = ''] = place
  return file === path ? `line ${line}: ` : `${relative(dirname(path), file)}, line ${line}: `
}

/** A module of a CommonJS folder is checked as the module that it is loaded as. */
function placeInScript(path: string): readonly string[] | undefined {
  const text = readFileSync(path, 'utf8')
  const check = hasModuleSyntax(text) ? ['--input-type=module', '--check', '-'] : ['--check', path]
  const { stderr } = spawnSync(process.execPath, ['--no-warnings', ...check], { encoding: 'utf8', input: text })
  const [whole = '', file = '', line = ''] = /^(?:file:\/\/)?(.+):(\d+)\n/.exec(stderr) ?? []
  return whole === '' ? undefined : [whole, file === '[stdin]' ? path : file, line]
}

function messageOf(error: unknown): string {
  return oneLine(error instanceof Error ? error.message : String(error))
}
