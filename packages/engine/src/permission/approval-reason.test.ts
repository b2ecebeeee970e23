import { expect, it } from 'vitest'
import { describeApprovalReason, parseApprovalReason } from './approval-reason.ts'

it.each([
  ['mode-preset:Bash', { type: 'preset' }],
  ['user-rule:Bash', { type: 'user-rule' }],
  ['not-trusted:Bash', { type: 'not-trusted' }],
  ['definition-changed:mcp_a_b', { type: 'definition-changed' }],
  ['not-understood', { type: 'not-understood' }],
  ['protected-path:/a:b', { type: 'protected-path', path: '/a:b' }],
  ['text-from-tool:WebFetch', { type: 'text-from-tool', tool: 'WebFetch' }],
  ['text-from-tool:', { type: 'text-from-tool', tool: '' }],
  ['toString', { type: 'other', recorded: 'toString' }],
  [undefined, { type: 'other', recorded: '' }],
])('the recorded reason %j has a sentence', (recorded, reason) => {
  expect(parseApprovalReason(recorded)).toEqual(reason)
  expect(describeApprovalReason(parseApprovalReason(recorded))).toMatch(/^[A-Z].+\.$/)
})

it('a path in a reason shows its hidden characters', () => {
  for (const recorded of ['run-outside:/srv/\u202egpj is lost.', 'protected-path:/home/u/\u200b.ssh\u001b[2J']) {
    expect(describeApprovalReason(parseApprovalReason(recorded))).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  }
})
