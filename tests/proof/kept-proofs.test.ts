import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hasHeld, openKeptProofs } from '../../scripts/lib/kept-proofs.mjs'

const row = (failures: number) => ({ id: 'F9', what: 'cuts', count: 1, failures, seed: 'x', seconds: 1 })

describe('a proof', () => {
  it('a proof holds when it reported a result and nothing failed', () => {
    expect(hasHeld({ results: [row(0)], brokenTests: [], seconds: 1 })).toBe(true)
    expect(hasHeld({ results: [row(0), row(1)], brokenTests: [], seconds: 1 })).toBe(false)
    expect(hasHeld({ results: [row(0)], brokenTests: ['a test'], seconds: 1 })).toBe(false)
    expect(hasHeld({ results: [], brokenTests: [], seconds: 1 })).toBe(false)
    expect(hasHeld(undefined)).toBe(false)
  })
})

describe('the results of proofs', () => {
  let root: string
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: root, stdio: 'ignore' })
  const change = (text: string) => writeFileSync(join(root, 'source.ts'), text)
  const proofs = { 'f9.proof.test.ts': { results: [row(0)], brokenTests: [], seconds: 1 } }

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'polylogue-kept-'))
    git('init', '-q')
    change('one')
    writeFileSync(join(root, 'RELIABILITY.md'), '')
    mkdirSync(join(root, 'tests/proof'), { recursive: true })
    writeFileSync(join(root, 'tests/proof/results.json'), '{}')
    git('add', '.')
    git('commit', '-qm', 'one')
  })
  afterEach(() => rmSync(root, { recursive: true }))

  it('are kept for one commit', () => {
    openKeptProofs(root).keep('f9.proof.test.ts', proofs['f9.proof.test.ts'])
    writeFileSync(join(root, 'RELIABILITY.md'), 'written by the proof')
    expect(openKeptProofs(root).read()).toMatchObject(proofs)
    change('two')
    expect(openKeptProofs(root).read()).toEqual({})
    git('commit', '-qam', 'two')
    expect(openKeptProofs(root).read()).toEqual({})
    expect(openKeptProofs(root).readAll()).toMatchObject(proofs)
  })

  it('are found from later commits on request, with their commit', () => {
    const head = () => execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()
    change('zero')
    git('commit', '-qam', 'zero')
    const first = head()
    openKeptProofs(root).keep('f9.proof.test.ts', proofs['f9.proof.test.ts'])
    openKeptProofs(root).keep('f1.proof.test.ts', proofs['f9.proof.test.ts'])
    change('two')
    git('commit', '-qam', 'two')
    openKeptProofs(root).keep('f1.proof.test.ts', proofs['f9.proof.test.ts'])
    expect(openKeptProofs(root, first).read()).toMatchObject({
      'f9.proof.test.ts': { commit: first },
      'f1.proof.test.ts': { commit: head() },
    })
    expect(Object.keys(openKeptProofs(root).read())).toEqual(['f1.proof.test.ts'])
  })

  it('are not kept for uncommitted sources', () => {
    change('two')
    openKeptProofs(root).keep('f9.proof.test.ts', proofs['f9.proof.test.ts'])
    change('one')
    expect(openKeptProofs(root).read()).toEqual({})
  })
})
