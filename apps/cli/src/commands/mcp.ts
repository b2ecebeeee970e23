import { setTimeout as delay } from 'node:timers/promises'
import { CommandFailure } from '../command-failure.ts'
import { ExitCode } from '../exit-code.ts'
import type { OwnerFlags } from '../owner-flags.ts'
import { formatTable } from '../table.ts'
import { createTerminal } from '../terminal.ts'
import { toTerminalLine } from '../terminal-text.ts'
import { withOwner, type Owner } from '../with-owner.ts'

export interface McpFlags extends OwnerFlags {
  readonly json?: boolean
}

/** A server may take 20 seconds to get ready. */
const READY_WITHIN_MS = 30_000
const LOOK_EVERY_MS = 200

export function listServers(flags: McpFlags): Promise<number> {
  return withOwner(flags, async ({ console }) => {
    const answer = await console.readMcp()
    const { stdout, stderr } = createTerminal(process)
    if (flags.json) stdout.write(`${JSON.stringify(answer)}\n`)
    else if (answer.servers.length === 0) stderr.write('No MCP server is configured. See docs/mcp.md.\n')
    else {
      const rows = answer.servers.map(({ name, state, tools, lastError }) => [name, state, `${tools}`, lastError ?? ''])
      stdout.write(formatTable(['SERVER', 'STATE', 'TOOLS', 'LAST ERROR'], rows))
    }
    return ExitCode.done
  })
}

export function testServer(name: string, flags: McpFlags): Promise<number> {
  return withOwner(flags, async (owner) => {
    const { stdout, stderr } = createTerminal(process)
    const { server, tools } = await untilSettled(owner, name)
    if (server.state !== 'ready') {
      stderr.write(
        `${toTerminalLine(name)} is ${server.state}: ${toTerminalLine(server.lastError ?? 'no reason given')}\n`,
      )
      return ExitCode.failed
    }
    stderr.write(`${toTerminalLine(name)} is ready and has ${server.tools} tools.\n`)
    const rows = tools.map((tool) => [tool.name, tool.effect, toTerminalLine(tool.description).slice(0, 100)])
    if (rows.length > 0) stdout.write(formatTable(['TOOL', 'EFFECT', 'DESCRIPTION'], rows))
    return ExitCode.done
  })
}

async function untilSettled({ console }: Owner, name: string) {
  const deadline = performance.now() + READY_WITHIN_MS
  for (;;) {
    const { servers, tools } = await console.readMcp()
    const server = servers.find((candidate) => candidate.name === name)
    if (server === undefined) {
      const known = servers.map((candidate) => candidate.name).join(', ') || 'none'
      throw new CommandFailure(`There is no MCP server ${toTerminalLine(name)}. Servers: ${known}.`)
    }
    if (server.state !== 'connecting' || performance.now() > deadline)
      return { server, tools: tools.filter((tool) => tool.server === name) }
    await delay(LOOK_EVERY_MS)
  }
}
