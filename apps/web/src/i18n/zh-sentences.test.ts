import { expect, it } from 'vitest'
import { translateSentence } from './server-sentence.ts'
import { ZH_SENTENCES } from './zh-sentences.ts'

/** As the engine writes them, with digits in the place of names. */
const REASONS = [
  "The session's mode asks before calls like this one.",
  'One of your rules asks before this call.',
  'The client that listed the tools of this session does not trust this one.',
  'One of your rules allows this tool, but its server has changed its description or schema since. Look at it, then remove the rule and add it again.',
  'One of your rules allows this tool, but not what this command needs besides.',
  'With network: 1.2, 3. The sandbox does not limit it to these hosts. With write access to /1. This call needs your approval.',
  'Part of this command could not be parsed. Read it closely.',
  'The call touches the protected path /1.2.',
  'Most words of this text are not yours: a tool result may have written it.',
  'Most words of this text are not yours: they came from a result of 1.',
  'The recorded reason is 1:2.',
]
const WHO = ['The agent', 'The server', 'The sub-agent “1”']
const SENTENCES = [
  ...REASONS.flatMap((reason) => WHO.map((who) => `${who} asks to run 1. ${reason}`)),
  ...WHO.map(
    (who) =>
      `${who} asks to run 1 again, outside of the sandbox. 2. If you allow it, the same command runs again without the sandbox, with all your rights.`,
  ),
  ...WHO.map((who) => `${who} has a question for you.`),
  '1 waits for a result from the client that brought the tool.',
  'The connection was lost before the server answered.',
]

it.each(SENTENCES)('console 66: Chinese has words for: %s', (sentence) => {
  expect(translateSentence(sentence, ZH_SENTENCES)).not.toMatch(/[A-Za-z]/)
})

it('leaves a sentence that it does not know as it is', () => {
  expect(translateSentence('Something new.', ZH_SENTENCES)).toBe('Something new.')
})
