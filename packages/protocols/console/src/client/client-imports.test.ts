import { spellOut as engineSpellOut, spellOutLine as engineSpellOutLine, MEMORY_LIMITS } from '@polylogue/engine'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { MEMORY_TEXT } from '../contract/memories.ts'
import { spellOut, spellOutLine } from './spell-out.ts'

/** Every module that a file loads, itself included. */
function modulesOf(file: URL, found = new Set<string>()): Set<string> {
  if (found.has(file.href)) return found
  found.add(file.href)
  for (const [, specifier = ''] of readFileSync(fileURLToPath(file), 'utf8').matchAll(/ from '([^']+)'/g)) {
    if (specifier.startsWith('.')) modulesOf(new URL(specifier, file), found)
    else found.add(specifier)
  }
  return found
}

it('the client loads nothing but zod, so that a browser can import it', () => {
  const packages = [...modulesOf(new URL('./index.ts', import.meta.url))].filter((name) => !name.startsWith('file:'))
  expect(packages).toEqual(['zod'])
})

it('the client spells out the same characters as the engine', () => {
  const codes = Array.from({ length: 0x110000 }, (_, code) => code)
  // Separated, so that two halves of a character stay halves.
  const text = codes.map((code) => String.fromCodePoint(code)).join('.')
  expect(spellOut(text) === engineSpellOut(text)).toBe(true)
  expect(spellOutLine(text) === engineSpellOutLine(text)).toBe(true)
})

it('the contract bounds memories as the engine does', () => {
  const { content, label, writeReason } = MEMORY_LIMITS
  expect(MEMORY_TEXT).toEqual({ content, label, writeReason })
})
