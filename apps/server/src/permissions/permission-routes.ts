import {
  canonicalJson,
  type Clock,
  type JsonValue,
  type PermissionRule,
  type RandomBytes,
  type RuleStore,
} from '@polylogue/engine'
import { Hono } from 'hono'
import { z } from 'zod'
import type { Authenticate } from '../auth/authenticate.ts'
import { HttpRefusal } from '../http/http-refusal.ts'
import { readJsonBody } from '../http/read-json-body.ts'
import { requireCaller, type CallerEnv } from '../http/require-caller.ts'
import { backtest, type BacktestDeps } from './backtest.ts'
import type { PermissionSettings } from './permissions-schema.ts'
import { readRule, ruleJson, toRuleJson, toStoredRuleJson, type ReadRule } from './rule-json.ts'

export interface PermissionRoutesDeps extends BacktestDeps {
  readonly rules: RuleStore
  readonly settings: PermissionSettings
  readonly clock: Clock
  readonly random: RandomBytes
  readonly authenticate: Authenticate
}

/** Every call is compared with all of them. */
const MOST_RULES = 500

const importJson = z.strictObject({ rules: z.array(ruleJson).max(MOST_RULES) })
const backtestJson = z.strictObject({
  rule: ruleJson,
  first: z.boolean().default(false),
  calls: z.int().min(1).max(10_000).default(2_000),
})

/** Everybody has their own rules; the operator's are shown and not changed here. */
export function createPermissionRoutes(deps: PermissionRoutesDeps): Hono<CallerEnv> {
  const { rules, settings, clock, random, authenticate } = deps
  const routes = new Hono<CallerEnv>()
  routes.use(requireCaller(authenticate))

  const add = async (userId: CallerEnv['Variables']['caller']['userId'], rule: PermissionRule) => {
    const stored = { ruleId: `rule_${Buffer.from(random(12)).toString('hex')}`, rule, createdAt: clock.now() }
    await rules.addRule(userId, stored)
    return stored
  }

  routes.get('/', async (c) => {
    const stored = await rules.listRules(c.var.caller.userId)
    const { deny, allowHosts, blockHosts, ceiling } = settings
    const denials = deny.map((rule) => toRuleJson({ ...rule, action: 'deny' }))
    return c.json({ rules: stored.map(toStoredRuleJson), operator: { deny: denials, allowHosts, blockHosts, ceiling } })
  })

  routes.post('/', async (c) => {
    const { userId } = c.var.caller
    const { rule, warnings } = readRule(await readJsonBody(c, ruleJson))
    refuseTooMany((await rules.listRules(userId)).length + 1)
    return c.json({ ...toStoredRuleJson(await add(userId, rule)), warnings }, 201)
  })

  routes.delete('/:id', async (c) => {
    if (!(await rules.removeRule(c.var.caller.userId, c.req.param('id')))) throw new HttpRefusal(404, 'No such rule.')
    return c.body(null, 204)
  })

  routes.post('/import', async (c) => {
    const { userId } = c.var.caller
    const read = (await readJsonBody(c, importJson)).rules.map(readRule)
    const present = await rules.listRules(userId)
    const known = new Set(present.map(({ rule }) => textOf(rule)))
    const fresh = read.filter(({ rule }) => !known.has(textOf(rule)))
    refuseTooMany(present.length + fresh.length)
    const added = []
    for (const { rule } of fresh) added.push(await add(userId, rule))
    return c.json({ rules: added.map(toStoredRuleJson), known: read.length - fresh.length, warnings: warningsOf(read) })
  })

  routes.post('/backtest', async (c) => {
    const { userId } = c.var.caller
    const { rule: proposed, first, calls } = await readJsonBody(c, backtestJson)
    const { rule, warnings } = readRule(proposed)
    const present = (await rules.listRules(userId)).map((stored) => stored.rule)
    const result = await backtest({ userId, proposed: rule, rules: present, isFirst: first, calls }, deps)
    return c.json({ ...result, rule: toRuleJson(rule), warnings })
  })
  return routes
}

/** One text for one rule, so that a file can be imported twice. */
const textOf = (rule: PermissionRule): string => canonicalJson(JSON.parse(JSON.stringify(rule)) as JsonValue)

const warningsOf = (read: readonly ReadRule[]): readonly string[] =>
  read.flatMap(({ warnings }, index) => warnings.map((warning) => `rules.${index}.${warning}`))

function refuseTooMany(count: number): void {
  if (count > MOST_RULES) throw new HttpRefusal(400, `rules: ${MOST_RULES} at most for each user.`)
}
