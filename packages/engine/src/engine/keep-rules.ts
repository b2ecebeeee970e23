import type { EngineParts } from '../engine-parts.ts'
import type { UserId } from '../ids.ts'
import { chooseOffer } from '../permission/cover-offers.ts'
import { findRuleExcess } from '../permission/rule-room.ts'
import type { PermissionRule } from '../ports/rule-store.ts'
import type { CallAnswer } from '../session/command.ts'
import { findOpenCall, type SessionState } from '../state/session-state.ts'

/** What these answers allow in the project of the session. Pure. */
export function keptRules({ turn }: SessionState, answers: readonly CallAnswer[]): readonly PermissionRule[] {
  return answers.flatMap((answer): PermissionRule[] => {
    if (answer.type !== 'approval' || !answer.granted || answer.scope !== 'session') return []
    const call = findOpenCall(turn, answer.toolCallId)
    const chosen = chooseOffer(call?.approval?.offers ?? [], answer.offer)
    if (call === undefined || chosen?.project === undefined) return []
    const { project, covers, label = covers } = chosen
    return [{ tool: call.name, action: 'allow', kept: { project, covers, label } }]
  })
}

type KeepDeps = Pick<EngineParts, 'rules' | 'digest' | 'clock' | 'log'>

/** The answers stand without the rules, so a rule that cannot be kept is logged. */
export async function keepRules(
  userId: UserId,
  kept: readonly PermissionRule[],
  { rules, digest, clock, log }: KeepDeps,
): Promise<void> {
  for (const rule of kept) {
    // The same answer in two sessions gives one rule.
    const key = JSON.stringify([userId, rule.kept?.project, rule.kept?.covers])
    const ruleId = `rule_${digest(key).slice(0, 24)}`
    try {
      const present = await rules.listRules(userId)
      if (present.some((one) => one.ruleId === ruleId)) continue
      const excess = findRuleExcess([...present.map((one) => one.rule), rule])
      if (excess !== undefined) throw new Error(`rules: ${excess}`)
      await rules.addRule(userId, { ruleId, rule, createdAt: clock.now() })
    } catch (error) {
      log({ level: 'warn', message: 'an approval could not be kept for its project', error })
    }
  }
}
