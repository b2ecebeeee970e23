// A program that holds a server which does not want to end, and then ends itself in the way it is told:
//   host.ts <exit | throw | wait> <fault> <marker> <folder>
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { createMcpPool } from '@polylogue/tools'
import { realClock } from './real-clock.ts'

const [end = '', fault = '', marker = '', stateDir = ''] = process.argv.slice(2)
const digest = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex')
const pool = createMcpPool({ clock: realClock, digest, log: () => {}, stateDir })
const args = [join(import.meta.dirname, 'misbehaving-server.ts'), fault, marker]
const reach = { type: 'stdio', command: process.execPath, args, env: {} } as const
const held = pool.hold([{ name: 'bad', reach, trusted: false, deadlineMs: 60_000 }])
setInterval(() => {}, 60_000)
await held.settled()
process.stdout.write(`${held.health()[0]?.state}\n`)
if (end === 'exit') process.exit(0)
if (end === 'throw') throw new Error('on purpose')
