/**
 * What `POLYLOGUE_FAILPOINTS` asks for, so that tests can end a real process at a named point of its work. Entries are
 * separated by `;`:
 *
 *     append.after=kill@3      at the third hit: kill, stop (until SIGCONT), throw, or delay:50 (milliseconds)
 *     count:/tmp/hits          appends the name of every point that is passed to this file, a line each
 *     level:2:step.ended       this node has level 2 of events, which this type needs
 *
 * Without the variable nothing is observed.
 */
import { appendFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { observeFailpoints, pretendLevel, type FailpointObserver, type PretendedLevel } from '@polylogue/engine'
import { EXIT_CONFIG, ServeError } from '../serve-error.ts'

export type FailpointAction =
  | { readonly type: 'kill' | 'stop' | 'throw' }
  | { readonly type: 'delay'; readonly ms: number }

export interface FailpointRule {
  readonly name: string
  readonly action: FailpointAction
  /** 1 for the first time that the point is passed. */
  readonly hit: number
}

export interface FailpointPlan {
  readonly rules: readonly FailpointRule[]
  readonly countFile?: string
  readonly level?: PretendedLevel
}

const RULE = /^([a-z.-]+)=(kill|stop|throw|delay:(\d{1,6}))@([1-9]\d{0,8})$/
const COUNT = 'count:'
const LEVEL = /^level:([1-9]\d{0,3}):([a-z.-]+)$/

export function parseFailpoints(text: string): FailpointPlan {
  const entries = text.split(';').filter((entry) => entry !== '')
  const countFile = entries.find((entry) => entry.startsWith(COUNT))?.slice(COUNT.length)
  const [, level, type] = entries.map((entry) => LEVEL.exec(entry)).find((match) => match !== null) ?? []
  const rules = entries.filter((entry) => !entry.startsWith(COUNT) && !LEVEL.test(entry)).map(parseRule)
  return {
    rules,
    ...(countFile === undefined ? {} : { countFile }),
    ...(type === undefined ? {} : { level: { level: Number(level), type } }),
  }
}

function parseRule(entry: string): FailpointRule {
  const [, name, action, ms, hit] = RULE.exec(entry) ?? []
  if (name === undefined || action === undefined) {
    throw new ServeError(`POLYLOGUE_FAILPOINTS: ${JSON.stringify(entry)} is not like name=kill@3`, EXIT_CONFIG)
  }
  return { name, action: parseAction(action, Number(ms)), hit: Number(hit) }
}

function parseAction(action: string, ms: number): FailpointAction {
  return action === 'kill' || action === 'stop' || action === 'throw' ? { type: action } : { type: 'delay', ms }
}

export function installFailpoints(env: NodeJS.ProcessEnv): void {
  const text = env['POLYLOGUE_FAILPOINTS']
  if (text === undefined || text === '') return
  const plan = parseFailpoints(text)
  observeFailpoints(createObserver(plan))
  if (plan.level !== undefined) pretendLevel(plan.level)
}

export function createObserver({ rules, countFile }: FailpointPlan): FailpointObserver {
  const hits = new Map<string, number>()
  return (name) => {
    const hit = (hits.get(name) ?? 0) + 1
    hits.set(name, hit)
    if (countFile !== undefined) appendFileSync(countFile, `${name}\n`)
    const rule = rules.find((candidate) => candidate.name === name && candidate.hit === hit)
    return rule === undefined ? undefined : act(rule)
  }
}

function act({ name, action }: FailpointRule): void | Promise<void> {
  switch (action.type) {
    case 'kill':
      process.kill(process.pid, 'SIGKILL')
      return
    case 'stop':
      process.kill(process.pid, 'SIGSTOP')
      return
    case 'throw':
      throw new Error(`failpoint ${name}`)
    case 'delay':
      return delay(action.ms)
  }
}
