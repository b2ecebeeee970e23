import { type Target, ask, textField } from './ask.ts'
import type { Scene } from './bad-input.ts'

const WAITING_CALL = 'w1'

/** Things of its own for one worker, so that two inputs at once do not meet in one session. */
export async function setScene(target: Target, foreignSessionId: string): Promise<Scene> {
  const [sessionId, waiting] = await Promise.all([createSession(target), createWaitingCall(target)])
  return { host: new URL(target.url).host, key: target.key, sessionId, waiting, foreignSessionId }
}

export async function createSession(target: Target): Promise<string> {
  const agent = { name: 'scripted', tools: [{ name: 'echo' }] }
  const { body } = await ask(target, { method: 'POST', path: '/aap/v3/sessions', body: { agent } })
  return textField(body, 'sessionId')
}

/** A session whose turn waits for leave to run a tool. */
export async function createWaitingCall(target: Target): Promise<Scene['waiting']> {
  const sessionId = await createSession(target)
  const messages = [{ role: 'user', content: `call ${WAITING_CALL} echo {"msg":"hello"}` }]
  const path = `/aap/v3/sessions/${sessionId}/turns`
  const { body } = await ask(target, { method: 'POST', path, body: { messages } })
  if (textField(body, 'stopReason') !== 'tool_use') throw new Error('the call does not wait')
  return { sessionId, toolCallId: WAITING_CALL }
}
