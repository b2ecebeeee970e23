import { expect, it } from 'vitest'
import { ConfigError } from './config-error.ts'

it('is one line without control characters, whatever the configuration made it say', () => {
  const { message } = new ConfigError(
    'polylogue.config.json: defaultAgent: no agent is named a\u001b[2J\r\nb\u0000\u2028c',
  )
  expect(message).toBe('polylogue.config.json: defaultAgent: no agent is named a\\u001b[2J b\\u0000 c')
})

it('is no longer than a terminal can show at once', () => {
  const { message } = new ConfigError(
    `polylogue.config.json: agents[0].tools[0]: no tool is named ${'x'.repeat(100_000)}`,
  )
  expect(message).toMatch(/^polylogue\.config\.json: agents\[0\]\.tools\[0\]: no tool is named x+…$/)
  expect(message.length).toBeLessThanOrEqual(1000)
})
