import { describe, expect, it } from 'vitest'
import type { CallFacts, JsonObject, PermissionRule } from '../index.ts'
import { createMatchBudget, matchRule } from './match-rule.ts'

const matches = (rule: Partial<PermissionRule>, tool: string, input: JsonObject = {}, facts?: CallFacts) =>
  matchRule({ tool: '*', action: 'ask', ...rule }, { tool, input, ...(facts && { facts }) }, createMatchBudget())

describe('acp 10.4: a rule', () => {
  it.each([
    ['*', 'anything', 'yes'],
    ['Bash', 'Bash', 'yes'],
    ['Bas', 'Bash', 'no'],
    ['Bas.', 'Bash', 'yes'],
    ['Write|Edit', 'Edit', 'yes'],
    ['Write|Edit', 'WriteEdit', 'no'],
    ['(?i)bash', 'Bash', 'yes'],
    ['bash', 'Bash', 'no'],
    ['(', '(', 'yes'],
    ['(', 'x', 'no'],
    ['(?=x)y', '(?=x)y', 'yes'],
  ])('for the tool %s and a call of %s: %s', (tool, called, answer) => {
    expect(matches({ tool }, called)).toBe(answer)
  })

  it('searches its patterns in the arguments, and all of them must match', () => {
    const rule = { args: { command: '^npm (test|run)', cwd: 'app' } }
    expect(matches(rule, 't', { command: 'npm test', cwd: '/srv/app' })).toBe('yes')
    expect(matches(rule, 't', { command: 'npm test', cwd: '/srv' })).toBe('no')
    expect(matches(rule, 't', { command: 'npm test' })).toBe('no')
    expect(matches({ args: {} }, 't')).toBe('yes')
  })

  it('compares a bad pattern literally', () => {
    expect(matches({ args: { command: 'f(' } }, 't', { command: 'f(' })).toBe('yes')
    expect(matches({ args: { command: 'f(' } }, 't', { command: 'f(x' })).toBe('no')
  })

  it('compares values that are not text as JSON', () => {
    expect(matches({ args: { force: '^true$' } }, 't', { force: true })).toBe('yes')
    expect(matches({ args: { options: '"depth":3' } }, 't', { options: { depth: 3 } })).toBe('yes')
    expect(matches({ args: { none: 'null' } }, 't', { none: null })).toBe('yes')
  })

  it('does not take what every object has for an argument', () => {
    expect(matches({ args: { constructor: '' } }, 't', {})).toBe('no')
    expect(matches({ args: { toString: '' } }, 't', {})).toBe('no')
  })

  it.each([
    ['https://api.github.com/x', 'yes'],
    ['https://GITHUB.com:8443/', 'yes'],
    ['https://github.com.evil.example/', 'no'],
    ['https://exact.example/', 'yes'],
    ['https://sub.exact.example/', 'no'],
    ['not a url', 'no'],
    ['', 'no'],
  ])('with a domain looks at the host of %s: %s', (url, answer) => {
    const domain = { allowlist: ['.github.com'], blocklist: ['exact.example'] }
    expect(matches({ domain }, 't', { url })).toBe(answer)
    expect(matches({ domain: { ...domain, urlArgument: 'target' } }, 't', { target: url })).toBe(answer)
    expect(matches({ domain: { ...domain, urlArgument: 'target' } }, 't', { url })).toBe('no')
  })

  it('believes the tool about the host that it will fetch', () => {
    const facts: CallFacts = { type: 'fetch', host: 'github.com', isPrivateAddress: false }
    expect(matches({ domain: { allowlist: ['github.com'] } }, 't', { url: 'odd' }, facts)).toBe('yes')
  })

  it('is unknown where it looks at arguments that are not there yet', () => {
    const ask = (rule: Partial<PermissionRule>) =>
      matchRule({ tool: 't', action: 'ask', ...rule }, { tool: 't' }, createMatchBudget())
    expect([ask({}), ask({ args: { a: 'x' } }), ask({ domain: {} })]).toEqual(['yes', 'unknown', 'unknown'])
  })

  it('is unknown when it would take too long', () => {
    expect(matches({ args: { a: `(${'a?'.repeat(300)}){2}$` } }, 't', { a: `${'a'.repeat(200_000)}!` })).toBe('unknown')
  })
})
