// What `import … from 'polylogue'` gives to a configuration.
export type { Model, ModelMessage, ModelOutput, ModelRequest, Tool, ToolEffect, ToolOutput } from '@polylogue/engine'
export type { ProviderConfig } from '@polylogue/models'
export { defineTool, type ToolDefinition, type ToolRun } from '@polylogue/tools'
export { z } from 'zod'
export { defineAgent, type AgentConfig, type OptionConfig } from './config/define-agent.ts'
export { defineConfig, type Config } from './config/define-config.ts'
export { replayRecording } from './index.ts'
