export { createAgentTool, type SubAgent } from './agent/agent-tool.ts'
export { createBackgroundProcesses, type BackgroundProcesses } from './background/background-processes.ts'
export { createBackgroundTool } from './background/background-tool.ts'
export type { BashToolOptions } from './bash/bash-options.ts'
export { toolCachesDir } from './bash/bash-parts.ts'
export { removeToolCaches } from './sandbox/tool-caches.ts'
export { createBashTool } from './bash/bash-tool.ts'
export { buildCommandArgv, type CommandArgv, type SandboxArgv } from './bash/command-argv.ts'
export { detectSandbox, type Sandbox } from './sandbox/detect-sandbox.ts'
export { sweepLeftovers, type Sweep } from './bash/running-calls.ts'
export { defineCheckedTool as defineTool, type ToolDefinition, type ToolRun } from './define-tool.ts'
export { createDiagnosticsTool } from './diagnostics/diagnostics-tool.ts'
export { createDemoTools } from './demo-tools/demo-tools.ts'
export { createConfinedFiles, type ConfinedFiles } from './files/confined-files.ts'
export { ABSENT } from './files/file-trace.ts'
export type { Restored } from './files/restore-file.ts'
export { FileProblem } from './files/file-problem.ts'
export type { OpenFile } from './files/read-regular-file.ts'
export { confinement as fileConfinement } from './files/directory.ts'
export { holdRoot, type HeldRoot } from './files/hold-root.ts'
export { createFileTools, type FileToolsOptions } from './files/file-tools.ts'
export type { McpHealth, McpState } from './mcp/mcp-connection.ts'
export { createMcpPool, type HoldOptions, type McpHold, type McpPool, type McpPoolOptions } from './mcp/mcp-pool.ts'
export type { McpReach, McpServer } from './mcp/mcp-server.ts'
export { editorMcpServersSchema, mcpServersSchema } from './mcp/mcp-servers-schema.ts'
export type { McpPrompt } from './mcp/mcp-prompt.ts'
export { isMcpTool, type McpTool } from './mcp/mcp-tool.ts'
export {
  createProtectedSet,
  type Access,
  type Grade,
  type ProtectedEntry,
  type ProtectedSet,
  type ProtectedSetOptions,
  type ProtectedView,
} from './protected/protected-set.ts'
export { realPathOf } from './real-path.ts'
export { formatPath, oneLine, parseWith, type Parsed } from './parse-with.ts'
export { createScriptedTools } from './scripted-tools/scripted-tools.ts'
export { outputTools } from './result/output-tools.ts'
export { toolFromJsonSchema, type JsonSchemaTool } from './tool-from-json-schema.ts'
export { createQuestionTool } from './question/question-tool.ts'
export { createRememberTool, type RememberToolOptions } from './memory/remember-tool.ts'
export { createScheduleTool, type ScheduleToolOptions } from './schedule/schedule-tool.ts'
export { SkillError, loadSkill, loadSkills, type Skill } from './skill/load-skills.ts'
export { createSkillTool, tellSkill, type SkillToolOptions } from './skill/skill-tool.ts'
export { splitMeta, type SplitResult } from './split-meta.ts'
export {
  findRepository,
  readGitState,
  type GitReading,
  type GitReadingOptions,
  type GitState,
} from './surroundings/read-git-state.ts'
export { findShell } from './bash/find-shell.ts'
export { hasUnixShell } from './host.ts'
export { createTodoTool } from './todo/todo-tool.ts'
export { inspectCommand } from './shell/inspect-later.ts'
export type { CommandInspection, InspectionOptions } from './shell/inspect-command.ts'
export { fetchImage, type FetchedImage, type ImageFetchOptions } from './web/fetch-image.ts'
export { createWebFetchTool, type WebFetchOptions } from './web/web-fetch-tool.ts'
