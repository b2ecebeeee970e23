import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { parseRule, ruleProblems } from './rule-schema.ts'

describe('a permission rule', () => {
  it('reads back unchanged', () => {
    const rule = {
      tool: 'Bash',
      args: { command: '^ls' },
      domain: { allowlist: ['.a.example'], blocklist: ['b.example'], urlArgument: 'target' },
      action: 'allow',
    }
    expect(parseRule(rule)).toEqual(rule)
    expect(parseRule({ tool: '*', action: 'deny' })).toEqual({ tool: '*', action: 'deny' })
  })

  it.each([
    [{}],
    [{ tool: '', action: 'deny' }],
    [{ tool: 'x'.repeat(1001), action: 'deny' }],
    [{ tool: 'x', action: 'maybe' }],
    [{ tool: 'x', action: 'deny', more: 1 }],
    [{ tool: 'x', action: 'deny', args: { a: 1 } }],
    [{ tool: 'x', action: 'deny', domain: { allowlist: 'x' } }],
    [{ tool: 'x', action: 'deny', domain: { allowlist: Array(201).fill('x') } }],
    [null],
  ])('is refused: %j', (value) => {
    expect(() => parseRule(value)).toThrow(z.ZodError)
  })

  it('has its texts named that are compared literally', () => {
    expect(ruleProblems({ tool: '*', action: 'ask', args: { fine: 'a|b', bad: 'a(' } })).toEqual([
      'args.bad: no regular expression (missing closing ): `a(`): compared literally',
    ])
    expect(ruleProblems({ tool: '(?=x)', action: 'ask' })).toEqual([
      'tool: no regular expression (invalid or unsupported Perl syntax: `(?=`): compared literally',
    ])
  })
})
