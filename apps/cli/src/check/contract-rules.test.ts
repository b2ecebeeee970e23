import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { AAP_CASES } from './aap-cases.ts'
import { AAP_TURN_CASES } from './aap-turn-cases.ts'
import { ACP_CASES } from './acp-cases.ts'
import { BLADE_CASES } from './blade-cases.ts'
import { CONTRACT_RULES, type Contract } from './contract-rules.ts'
import { play } from './script-model.ts'

const CASES: Readonly<Record<Contract, readonly { readonly rule: string }[]>> = {
  aap: [...AAP_CASES, ...AAP_TURN_CASES],
  acp: ACP_CASES,
  blade: BLADE_CASES,
}

const contracts = ['aap', 'acp', 'blade'] satisfies Contract[]

it.each(contracts)('the rules of %s use the words of its contract', (contract) => {
  const page = readFileSync(new URL(`../../../../docs/contracts/${contract}.md`, import.meta.url), 'utf8')
  const rows = page.split('\n')
  const strange = Object.entries(CONTRACT_RULES[contract]).filter(([rule, [says, basis]]) => {
    return !rows.some((row) => row.startsWith(`| ${rule} | ${says} | `) && row.endsWith(` | ${basis} |`))
  })
  expect(strange).toEqual([])
})

it.each(contracts)('every rule of %s is tried once', (contract) => {
  const tried = CASES[contract].map(({ rule }) => rule)
  expect(tried.toSorted()).toEqual(Object.keys(CONTRACT_RULES[contract]).toSorted())
})

it('a script is played step by step, and results are reported at its end', () => {
  const user = {
    role: 'user',
    content: 'think hm\nsay a\nsay b\ncall c1 echo {"msg":"x"}\n---\nsay done\nstop max_tokens',
  }
  const called = { role: 'assistant', content: '' }
  const result = { role: 'tool', tool_call_id: 'c1', content: 'x' }
  const call = { index: 0, id: 'c1', type: 'function', function: { name: 'echo', arguments: '{"msg":"x"}' } }
  expect(play([user]).filter((piece) => JSON.stringify(piece) !== '{"delta":{},"pauseMs":0}')).toEqual([
    { delta: { reasoning_content: 'hm' }, pauseMs: 0 },
    { delta: { content: 'a' }, pauseMs: 0 },
    { delta: { content: '\nb' }, pauseMs: 0 },
    { delta: { tool_calls: [call] } },
    { finish: 'tool_calls' },
  ])
  expect(play([user, called, result])).toContainEqual({ finish: 'length' })
  expect(play([{ role: 'user', content: 'call c1 echo' }, called, result])).toEqual([
    { delta: { content: 'RESULTS 1: x' } },
    { finish: 'stop' },
  ])
  expect(play([{ role: 'user', content: 'fail' }])).toEqual([{ fails: true }])
})
