import { existsSync, globSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { FencedBlock } from './markdown.ts'
import { ROOT, type RepositoryPage, readRepositoryPage, readRepositoryText } from './repository-pages.ts'

const GUIDE = ['models', 'tools', 'deploy', ...globSync('guide/*.md', { cwd: join(ROOT, 'docs') }).map(withoutEnding)]
const pairs = GUIDE.map((name) => [`docs/${name}.md`, `docs/zh/${name}.md`] as const)

/** A translation may be behind its original by some sections. It never shows what the original no longer has. */
const LEAST_SECTIONS = 0.75

function withoutEnding(path: string): string {
  return path.replace(/\.md$/, '')
}

/** Comments may be translated, and so may spaces in front of them. */
const codeOf = ({ words, text }: FencedBlock): string =>
  `${words.join(' ')}\n${text.replaceAll(/(?:^|[ \t]+)(?:#(?!!)|\/\/) .*$/gm, '')}`

/** The pages and files that a page links to, each page as its English original. */
function linksOf({ path, targets }: RepositoryPage): readonly string[] {
  const files = targets.filter((target) => !/^(?:[a-z]+:|#)/.test(target)).map((target) => target.split('#')[0] ?? '')
  const originals = files.map((file) => {
    const whole = posix.join(dirname(path), file)
    if (whole === 'README.zh.md') return 'README.md'
    return whole.replace(/^docs\/zh\//, 'docs/')
  })
  return [...new Set(originals)].sort()
}

describe.each(pairs)('%s', (original, translation) => {
  it('has a Chinese translation, with its sections and without stale code or links', () => {
    expect(existsSync(join(ROOT, translation)), `${translation} is missing`).toBe(true)
    const [english, chinese] = [readRepositoryPage(original), readRepositoryPage(translation)]
    expect(chinese.anchors.size).toBeGreaterThan(english.anchors.size * LEAST_SECTIONS)
    const code = english.blocks.map(codeOf)
    expect(chinese.blocks.map(codeOf).filter((block) => !code.includes(block))).toEqual([])
    const links = linksOf(english)
    expect(linksOf(chinese).filter((link) => !links.includes(link))).toEqual([])
  })

  it('is translated, not copied', () => {
    const prose = readRepositoryText(translation).replaceAll(/```[^]*?```|`[^`]*`|\]\([^)]*\)/g, '')
    const chinese = prose.match(/\p{Script=Han}/gu)?.length ?? 0
    expect(chinese / prose.replaceAll(/\s/g, '').length).toBeGreaterThan(0.4)
  })
})
