import { createInvocation } from '@polylogue/testkit'
import { createConfinedFiles, createFileTools, createProtectedSet } from '@polylogue/tools'
import fc from 'fast-check'
import { readFileSync, readlinkSync, statSync } from 'node:fs'
import { expect } from 'vitest'
import { createPathWorld, isAllowed, linksArbitrary, pathArbitrary, realFile } from './path-world.ts'

export interface CheckOptions {
  readonly runs: number
  readonly seed: number
}

export interface CheckedPaths {
  /** How many led to a file, so that a walk which refuses everything does not pass. */
  readonly opened: number
}

/** What is opened lies in the workspace, by the kernel's own word; and what the kernel finds there is opened. */
export async function checkOpenedPaths({ runs, seed }: CheckOptions): Promise<CheckedPaths> {
  const world = createPathWorld()
  const files = createConfinedFiles({ protectedSet: createProtectedSet({ secret: [world.protectedPath] }) })
  let opened = 0
  try {
    world.reset()
    const property = fc.asyncProperty(linksArbitrary, pathArbitrary, async (links, generated) => {
      world.setLinks(links)
      const path = generated.replaceAll('DIR', world.dir)
      const expected = realFile(world, path)
      const seen = await files
        .open(world.workspace, path, async ({ handle }) => {
          const real = readlinkSync(`/proc/self/fd/${handle.fd}`)
          const [mine, theirs] = [await handle.stat({ bigint: true }), statSync(real, { bigint: true })]
          expect([mine.dev, mine.ino]).toEqual([theirs.dev, theirs.ino])
          return { real, text: await handle.readFile('utf8') }
        })
        .catch((error: unknown) => ({ refusal: String(error) }))
      if ('refusal' in seen) {
        const isFile = expected !== undefined && statSync(expected).isFile()
        // A way that leads back inside through what is hidden or outside is refused, and may be.
        const isDetour = [path, ...links.map(({ target }) => target)].some((text) => /data|proc/.test(text))
        if (isFile && !isDetour) expect(seen.refusal).toMatch(/more than 128 deep/)
      } else {
        opened += 1
        expect(isAllowed(world, seen.real)).toBe(true)
        expect(seen.text).toMatch(/^inside /)
      }
    })
    await fc.assert(property, { numRuns: runs, seed, endOnFailure: runs > 10_000 })
  } finally {
    world.remove()
  }
  return { opened }
}

/** A write ends inside the workspace or not at all. */
export async function checkWrittenPaths({ runs, seed }: CheckOptions): Promise<CheckedPaths> {
  const world = createPathWorld()
  const tools = createFileTools({ protectedSet: createProtectedSet({ secret: [world.protectedPath] }) })
  let opened = 0
  try {
    world.reset()
    const before = world.outside()
    const property = fc.asyncProperty(linksArbitrary, pathArbitrary, async (links, generated) => {
      world.setLinks(links)
      const path = generated.replaceAll('DIR', world.dir)
      const write = tools.find(({ name }) => name === 'Write')
      const input = { path, content: 'written' }
      if (!write?.check(input).ok) return
      const facts = (await write.inspect?.(input, world.workspace))?.facts
      const written = await write.run(createInvocation(write, input, { workspace: world.workspace })).then(
        () => true,
        () => false,
      )
      expect(world.outside()).toBe(before)
      if (!written) return
      opened += 1
      const real = realFile(world, path)
      expect(real && readFileSync(real, 'utf8')).toBe('written')
      expect(facts).toEqual({ type: 'write-files' })
      world.reset()
    })
    await fc.assert(property, { numRuns: runs, seed, endOnFailure: runs > 10_000 })
  } finally {
    world.remove()
  }
  return { opened }
}
