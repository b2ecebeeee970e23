// The client that does everything right. Whatever others do to the server, it is answered, and soon.
import { type Answered, type Question, type Target, ask, textField } from './ask.ts'
import { cpuWaitMs } from './cpu-wait.ts'

export interface ProbeRound {
  readonly complaints: readonly string[]
  /** Answers that took longer than a valid client waits. */
  readonly late: readonly string[]
  readonly slowestMs: number
}

/** The longest that a valid client waits for an answer, apart from what other programs keep the two of us from. */
const PATIENCE_MS = 1000

export interface Probed extends Target {
  readonly pid: number
}

/** A session, a turn in it, its history, its end; and two requests that only a polluted server takes. */
export async function probe(target: Probed): Promise<ProbeRound> {
  const complaints: string[] = []
  const late: string[] = []
  let slowestMs = 0
  const check = async (expected: number, question: Question): Promise<Answered> => {
    const waitedMs = (): number => cpuWaitMs(target.pid) + cpuWaitMs(process.pid)
    const before = waitedMs()
    const answer = await ask(target, { ...question, path: `/aap/v3${question.path}` })
    const ms = answer.ms - (waitedMs() - before)
    const name = `the probe's ${question.method} ${question.path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, ':id')}`
    slowestMs = Math.max(slowestMs, ms)
    if (ms > PATIENCE_MS) late.push(`${name} was answered after ${Math.round(ms)} ms`)
    if (answer.status !== expected) {
      complaints.push(`${name} was answered ${answer.status} instead of ${expected}: ${answer.text.slice(0, 200)}`)
    }
    return answer
  }
  try {
    const agent = { name: 'scripted' }
    const created = await check(201, { method: 'POST', path: '/sessions', body: { agent } })
    const path = `/sessions/${textField(created.body, 'sessionId')}`
    const said = `Still here ${Math.round(performance.now())}`
    const messages = [{ role: 'user', content: `say ${said}` }]
    const turn = await check(200, { method: 'POST', path: `${path}/turns`, body: { messages } })
    const history = await check(200, { method: 'GET', path: `${path}/history?type=full` })
    if (!turn.text.includes(said)) complaints.push(`the probe's turn did not say it: ${turn.text.slice(0, 200)}`)
    if (!history.text.includes(said))
      complaints.push(`the probe's turn is not in its history: ${history.text.slice(0, 200)}`)
    await check(400, { method: 'POST', path: '/sessions', body: { agent: {} } })
    await check(400, { method: 'POST', path: '/sessions', body: { agent, tools: [{ name: 'bare' }] } })
    await check(204, { method: 'DELETE', path })
  } catch (error) {
    complaints.push(`the probe was not answered: ${String(error)}`)
  }
  return { complaints, late, slowestMs }
}
