import { EngineError } from '../errors.ts'
import type { TurnSettings } from '../events/turn-events.ts'
import type { SessionId } from '../ids.ts'
import type { NewReceipt, SealedSecret } from '../ports/event-store.ts'
import type { StartTurn } from '../session/command.ts'
import type { DecideContext, TurnDecision } from '../session/decision.ts'
import { secretContext } from '../turn/build-model-request.ts'
import type { ExecuteDeps } from './execute-deps.ts'

export function contextFor(agentName: string, deps: ExecuteDeps, outputProblem?: string): DecideContext {
  const agent = deps.agents.find(agentName)
  if (agent === undefined) throw new EngineError('agent-not-found', `there is no agent called ${agentName}`, 'agent')
  return {
    agent,
    ids: deps.ids,
    digest: deps.digest,
    recovery: deps.recovery,
    ...(deps.limits && { limits: deps.limits }),
    isKnownModel: (name) => deps.models?.find(name) !== undefined,
    ...(outputProblem !== undefined && { outputProblem }),
  }
}

export async function problemOfOutput(
  settings: TurnSettings | undefined,
  deps: ExecuteDeps,
): Promise<string | undefined> {
  if (settings?.outputSchema === undefined) return undefined
  if (deps.outputs === undefined) return 'this server gives no answers of a given shape'
  return deps.outputs.problemOf(settings.outputSchema)
}

export function seal(
  sessionId: SessionId,
  secrets: { readonly [name: string]: string } | undefined,
  deps: ExecuteDeps,
): readonly SealedSecret[] {
  return Object.entries(secrets ?? {}).map(([name, plain]) => ({
    name,
    sealed: deps.secretBox.seal(plain, secretContext(sessionId, name)),
  }))
}

export function receiptOf(
  { idempotency, userId }: Pick<StartTurn, 'idempotency' | 'userId'>,
  { turnId, firstEvent }: TurnDecision,
  key: string | undefined,
): { receipt?: NewReceipt } {
  if (idempotency === undefined || key === undefined) return {}
  return { receipt: { key, fingerprint: idempotency.fingerprint, userId, turnId, firstEvent } }
}
