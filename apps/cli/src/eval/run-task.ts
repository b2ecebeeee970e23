import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { CallAnswer, TurnUpdate } from '@polylogue/aap/client'
import type { UsageAmounts, WaitingCall } from '@polylogue/console/client'
import { runTurn } from '../turns.ts'
import type { Owner } from '../with-owner.ts'
import { checkTask } from './check-task.ts'
import type { EvalTask } from './eval-task.ts'

export interface TaskResult {
  readonly task: string
  readonly about: string
  readonly passed: boolean
  /** Why it did not. */
  readonly why?: string
  /** The model could not be asked at all: no key, no server, no such model. */
  readonly isUnasked?: true
  /** Absent when no model was called. */
  readonly usage?: UsageAmounts
}

/** Lets the agent work on the task's repository in this folder, which must be empty, and runs the test afterwards. */
export async function runTask(
  task: EvalTask,
  { owner, folder, signal }: { readonly owner: Owner; readonly folder: string; readonly signal: AbortSignal },
): Promise<TaskResult> {
  for (const [path, text] of Object.entries(task.files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  const body = { agent: 'coder', preset: 'workspace-write', directory: folder } as const
  const { sessionId } = await owner.console.createSession({ body })
  const cancel = (): void => void owner.aap.cancelTurn(sessionId).catch(() => undefined)
  signal.addEventListener('abort', cancel)
  const stop = await converse(owner, sessionId, task.prompt).finally(() => signal.removeEventListener('abort', cancel))
  const { passed, why } = await checkTask(task, folder)
  const { total } = await owner.console.readUsage({ query: { by: 'session', session: sessionId, limit: 1 } })
  const reason = stop.error ?? (stop.said.startsWith('I give up.') ? stop.said : why)
  return {
    task: task.name,
    about: task.about,
    passed,
    ...(!passed && { why: reason ?? stop.outcome }),
    ...(stop.outcome === 'failed' && (total?.inputTokens ?? 0) === 0 && { isUnasked: true }),
    ...(total && { usage: total }),
  }
}

type Stop = Extract<TurnUpdate, { type: 'stopped' }> & { readonly said: string }

/** Plays the turn to its end. Nobody watches, so calls are approved here as `answerCall` says. */
async function converse(owner: Owner, sessionId: string, prompt: string): Promise<Stop> {
  let say: string | readonly CallAnswer[] = prompt
  for (;;) {
    let said = ''
    let stopped: Extract<TurnUpdate, { type: 'stopped' }> | undefined
    for await (const { update } of runTurn(owner.aap, { sessionId, stream: 'message', say })) {
      if (update?.type === 'text') said = update.text
      if (update?.type === 'stopped') stopped = update
    }
    if (stopped === undefined) throw new Error('The stream of a turn ended without its stop.')
    if (stopped.outcome !== 'waiting') return { ...stopped, said }
    const { calls } = await owner.console.readWaiting({ id: sessionId })
    say = calls.map(answerCall)
  }
}

/**
 * A command that the preset asks about is approved: it runs in the sandbox. What asks for any other reason, such as a
 * protected path or a way out of the sandbox, is denied.
 */
function answerCall({ toolCallId, waitsFor, approval }: WaitingCall): CallAnswer {
  if (waitsFor !== 'approval')
    return { type: 'result', toolCallId, content: 'Nobody is here to answer. Decide yourself.' }
  const isConfined = approval?.access === undefined
  const granted = isConfined && (approval?.reason === 'preset' || approval?.reason === 'not-understood')
  return { type: 'approval', toolCallId, granted }
}
