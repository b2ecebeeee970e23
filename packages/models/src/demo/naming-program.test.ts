import { expect, it } from 'vitest'
import { CHINESE } from './chinese.ts'
import { ENGLISH } from './english.ts'
import { namingProgram } from './naming-program.ts'

it.each([ENGLISH, CHINESE])('names commands that an installed package has', ({ topics }) => {
  const model = namingProgram(topics.model, true)
  expect(model).toContain('ANTHROPIC_API_KEY=... npx polylogue\n')
  expect(namingProgram(topics.shell, true)).toContain('\n    npx polylogue sessions list\n')
  expect(
    Object.values(topics)
      .map((text) => namingProgram(text, true))
      .join('\n'),
  ).not.toMatch(/npm start|\.\/polylogue/)
})

it('names the launcher in a checkout', () => {
  expect(namingProgram('./polylogue doctor', false)).toBe('./polylogue doctor')
  expect(namingProgram('npm start')).toBe('npm start')
})
