import { EngineError } from '@polylogue/engine'
import { describe, expect, it } from 'vitest'
import { WireError, toHttpRefusal } from './errors.ts'

describe('a refusal', () => {
  it("truncates the client's own words, and puts the subject first", () => {
    const name = '\u{1F600}'.repeat(100_000)
    const refusals = [
      toHttpRefusal(new EngineError('unknown-tool', `the agent exposes no tool called ${name}`, 'access.tools')),
      toHttpRefusal(new WireError(400, `agent.tools: the agent exposes no tool called ${name}`)),
    ]
    for (const refusal of refusals) {
      expect(refusal?.status).toBe(400)
      expect(refusal?.body.error.length).toBeLessThanOrEqual(500)
      expect(refusal?.body.error).toMatch(/^agent\.tools: the agent exposes no tool called \u{1F600}+…$/u)
    }
  })

  it('says a sentence of usual length in full', () => {
    const sentence = 'messages[0].content: the text is longer than 1048576 characters'
    expect(toHttpRefusal(new WireError(400, sentence))?.body).toEqual({ error: sentence })
  })
})
