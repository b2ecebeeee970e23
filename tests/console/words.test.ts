import { describeAccess, describeApprovalReason, type ApprovalReason } from '@polylogue/engine'
import { expect, it } from 'vitest'
import { translateSentence } from '../../apps/web/src/i18n/server-sentence.ts'
import { ZH_SENTENCES } from '../../apps/web/src/i18n/zh-sentences.ts'

const REASONS: readonly ApprovalReason[] = [
  { type: 'preset' },
  { type: 'user-rule' },
  { type: 'not-trusted' },
  { type: 'definition-changed' },
  { type: 'more-access' },
  { type: 'run-outside', cause: '1.' },
  { type: 'not-understood' },
  { type: 'protected-path', path: '/1.2' },
  { type: 'text-from-tool', tool: '' },
  { type: 'text-from-tool', tool: '1' },
  { type: 'other', recorded: '' },
  { type: 'other', recorded: '1' },
]
const SENTENCES = [
  ...REASONS.flatMap((reason) =>
    ['The agent', 'The server', 'The sub-agent “1”'].map(
      (who) =>
        `${who} asks to run 1${reason.type === 'run-outside' ? ' again, outside of the sandbox' : ''}. ${describeApprovalReason(reason)}`,
    ),
  ),
  describeAccess({ network: ['1.2', '3'], writes: ['/1', '/2'] }),
  'The sub-agent “1” has a question for you.',
  '1 waits for a result from the client that brought the tool.',
]

it.each(SENTENCES)('console 66: Chinese has words for: %s', (sentence) => {
  expect(translateSentence(sentence, ZH_SENTENCES)).not.toMatch(/[A-Za-z]/)
})
