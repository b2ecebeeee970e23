// An ACP command with twelve faults: node faulty-acp.mjs COMMAND ARGUMENT…
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const [command = '', ...args] = process.argv.slice(2)
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] })
process.stdin.on('end', () => child.kill())
/** @type {Map<unknown, string>} */
const asked = new Map()

createInterface({ input: process.stdin }).on('line', (line) => {
  const id = /"id":("[^"]*"|\d+)/.exec(line)?.[1]
  if (id !== undefined) asked.set(JSON.parse(id), line)
  child.stdin.write(`${line}\n`)
})

createInterface({ input: child.stdout }).on('line', (line) => {
  const frame = JSON.parse(line)
  const request = asked.get(frame.id) ?? ''
  const { error, result } = frame
  const update = frame.params?.update
  if (error?.code === -32700) error.code = -32000 // rule 1
  if (error?.code === -32601) error.code = -32600 // rule 8
  if (error?.data?.reason === 'not_initialized') delete error.data // rule 16
  if (request.includes('"protocolVersion":99')) result.protocolVersion = 99 // rule 22
  if (result?.agentInfo) delete result.agentInfo.title // rule 26
  if (result?.modes) result.modes.availableModes.length = 3 // rule 33
  if (request.includes('tcp://')) error.code = -32000 // rule 38
  if (result?.sessionId)
    tell({ jsonrpc: '2.0', method: 'session/update', params: { update: { sessionUpdate: 'early' } } }) // rule 45
  if (result?.stopReason === 'max_tokens') result.stopReason = 'end_turn' // rule 80
  if (update?.sessionUpdate === 'agent_thought_chunk') return // rule 82a
  if (typeof update?.content?.text === 'string') update.content.text = update.content.text.replaceAll('🙂', '?') // rule 11
  if (update?.status === 'completed') tell(frame) // rule 85
  tell(frame)
})

/** @param {unknown} frame */
function tell(frame) {
  process.stdout.write(`${JSON.stringify(frame)}\n`)
}
