import type { Command } from 'commander'
import type { McpFlags } from './commands/mcp.ts'
import { formatExamples, withDataFlags } from './define-verbs.ts'

type Finish = (exitCode: number) => void

export function defineMcp(program: Command, finish: Finish): void {
  const mcp = program
    .command('mcp')
    .description('show and test the MCP servers of the configuration')
    .addHelpText('after', formatExamples(['mcp list', 'mcp test github']))
  withDataFlags(mcp.command('list'))
    .description('list the servers with their state and number of tools')
    .option('--config <file>', 'configuration, when no server is running')
    .option('--json', 'print JSON')
    .addHelpText('after', formatExamples(['mcp list', 'mcp list --json']))
    .action(async (flags: McpFlags) => finish(await (await import('./commands/mcp.ts')).listServers(flags)))
  withDataFlags(mcp.command('test'))
    .description('wait until a server is ready or has failed, and list its tools')
    .argument('<server>', 'its name in the configuration')
    .option('--config <file>', 'configuration, when no server is running')
    .addHelpText('after', formatExamples(['mcp test github', 'mcp test github --config polylogue.config.ts']))
    .action(async (name: string, flags: McpFlags) =>
      finish(await (await import('./commands/mcp.ts')).testServer(name, flags)),
    )
}
