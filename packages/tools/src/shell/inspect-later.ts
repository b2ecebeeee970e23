import type { CommandInspection, InspectionOptions } from './inspect-command.ts'

/** Loads the shell parser with the first command. */
export const inspectCommand = async (command: string, options?: InspectionOptions): Promise<CommandInspection> =>
  (await import('./inspect-command.ts')).inspectCommand(command, options)
