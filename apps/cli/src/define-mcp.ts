import type { Command } from 'commander'
import type { McpFlags } from './commands/mcp.ts'
import { formatExamples, withDataFlags } from './define-verbs.ts'

type Finish = (exitCode: number) => void

export function defineMcp(program: Command, finish: Finish): void {
  const mcp = program
    .command('mcp')
    .description('the MCP servers of the configuration')
    .addHelpText('after', formatExamples(['mcp list', 'mcp test github']))
  withDataFlags(mcp.command('list'))
    .description('list the servers, how they are, and how many tools they have')
    .option('--json', 'print JSON')
    .addHelpText('after', formatExamples(['mcp list', 'mcp list --json']))
    .action(async (flags: McpFlags) => finish(await (await import('./commands/mcp.ts')).listServers(flags)))
  withDataFlags(mcp.command('test'))
    .description('wait until a server is ready or has failed, and list its tools')
    .argument('<server>', 'its name in the configuration')
    .addHelpText('after', formatExamples(['mcp test github']))
    .action(async (name: string, flags: McpFlags) =>
      finish(await (await import('./commands/mcp.ts')).testServer(name, flags)),
    )
}
