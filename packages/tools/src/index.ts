export { defineTool, type ToolDefinition, type ToolRun } from './define-tool.ts'
export { formatPath, oneLine, parseWith, type Parsed } from './parse-with.ts'
export { createScriptedTools } from './scripted-tools/scripted-tools.ts'
export { toolFromJsonSchema, type JsonSchemaTool } from './tool-from-json-schema.ts'
