import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { call } from '../../support/script.ts'
import { eventually } from '../../support/eventually.ts'
import { findProcesses, processesNaming, untilGone } from '../../tools/processes.ts'
import type { SeededRandom } from '../../storage-faults/seeded-random.ts'
import type { AcpProcess } from './acp-process.ts'
import { type AcpWorld, createAcpWorld } from './acp-world.ts'
import { openAcpSession } from './acp-session.ts'

const PROGRAM = fileURLToPath(new URL('../../../polylogue', import.meta.url))
/** How an editor, or what connects us with it, may end. */
export const ENDS = ['EOF', 'EOF in a frame', 'stdout closed', 'half closed', 'SIGTERM', 'parent killed'] as const
export type End = (typeof ENDS)[number]

const END_MS = 6_000
const TREE = (marker: string) =>
  `trap '' TERM; setsid bash -c 'while :; do sleep 0.05; done' ${marker} & while :; do sleep 0.05; done`

/** What is wrong after an editor ended so, at some moment of a turn; `undefined` when nothing is. */
export async function endEditor(end: End, way: 'alone' | 'pipe', random: SeededRandom): Promise<string | undefined> {
  const world = await createAcpWorld()
  try {
    if (way === 'pipe') await world.serve()
    return await (end === 'parent killed' ? killParent(world) : endOne(world, end, random))
  } catch (error) {
    return `${end}, ${way}: ${error instanceof Error ? error.message : String(error)}`
  } finally {
    await world.close()
  }
}

async function endOne(world: AcpWorld, end: End, random: SeededRandom): Promise<string | undefined> {
  const acp = await world.start()
  const session = await openAcpSession(acp, world.workDir)
  await session.setMode('full-access')
  const marker = `${world.workDir}/child`
  // That nobody reads is noticed by whoever writes.
  const isCommand = end !== 'stdout closed' && random.int(2) === 0
  void session
    .prompt(isCommand ? call('c', 'Bash', { command: TREE(marker) }) : 'tokens 1000000')
    .catch(() => undefined)
  if (isCommand) await processesNaming(world.workDir, { atLeast: 2 })
  else await acp.frame(({ method }) => method === 'session/update')
  const endedAt = performance.now()
  leave(acp, end)
  const { code, signal } = await acp.exited
  const tookMs = Math.round(performance.now() - endedAt)
  if (code !== 0) return `${end}: it ended with ${String(code ?? signal)}: ${acp.stderr.slice(-500)}`
  if (tookMs > END_MS) return `${end}: it took ${tookMs} ms`
  await untilGone(marker)
  return undefined
}

function leave(acp: AcpProcess, end: End): void {
  switch (end) {
    case 'EOF in a frame':
      acp.write('{"jsonrpc":"2.0","id":99,"method":"session/pro')
      return acp.endInput()
    case 'stdout closed':
      acp.child.stdout?.destroy()
      return
    case 'half closed':
      acp.child.stdout?.destroy()
      return acp.endInput()
    case 'SIGTERM':
      return acp.kill('SIGTERM')
    default:
      return acp.endInput()
  }
}

/** A shell that started it is killed; nobody tells it, but its pipes end. */
async function killParent(world: AcpWorld): Promise<string | undefined> {
  const line = `"$0" acp --data "$1" --agent scripted; :`
  const parent = spawn('/bin/sh', ['-c', line, PROGRAM, world.dataDir], {
    cwd: world.path,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  parent.stdin.on('error', () => undefined)
  parent.stdin.write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}\n')
  parent.stdin.write('{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}\n')
  await new Promise((resolve) => parent.stdout.once('data', resolve))
  parent.kill('SIGKILL')
  parent.stdin.destroy()
  parent.stdout.destroy()
  const isGone = async (): Promise<true | undefined> => {
    const found = await findProcesses(world.dataDir)
    return found.some(({ commandLine }) => commandLine.includes(' acp ')) ? undefined : true
  }
  const killedAt = performance.now()
  await eventually(isGone, 'no process is left of the editor')
  const tookMs = Math.round(performance.now() - killedAt)
  return tookMs > END_MS ? `parent killed: it took ${tookMs} ms` : undefined
}
