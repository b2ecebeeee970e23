import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { findReleaseProblems, publishArguments, tarballNames } from '../../scripts/lib/release.mjs'

const SERVER_FILES = [
  'package.json',
  'README.md',
  'LICENSE',
  'apps/cli/polylogue.cjs',
  'apps/cli/src/main.js',
  'apps/web/dist/index.html',
]
const ready = {
  version: '1.2.0',
  changelog: '# Changelog\n\n## Unreleased\n\n## 1.2.0 (2026-11-16)\n',
  tags: ['v1.2.0'],
  changes: '',
  tarballs: [
    { name: 'polylogue-1.2.0.tgz', files: SERVER_FILES },
    {
      name: 'polylogue-client-1.2.0.tgz',
      files: ['package.json', 'README.md', 'LICENSE', 'packages/client/src/aap.d.ts'],
    },
  ],
}

describe('a release', () => {
  it('has no problem when version, changelog, tag and tarballs agree', () => {
    expect(findReleaseProblems(ready)).toEqual([])
    expect(tarballNames('1.2.0')).toEqual(ready.tarballs.map(({ name }) => name))
  })

  it.each([
    [{ version: '1.2' }, '1.2 is not a version'],
    [{ changelog: '## 1x2.0 (2026-11-16)' }, 'CHANGELOG.md has no section "## 1.2.0 (YYYY-MM-DD)"'],
    [{ changelog: '## 1.2.0\n' }, 'CHANGELOG.md has no section "## 1.2.0 (YYYY-MM-DD)"'],
    [{ tags: ['v1.1.0', ''] }, 'this commit has no tag v1.2.0'],
    [{ changes: ' M README.md' }, 'the working tree has changes that are not committed'],
    [
      { tarballs: [{ name: 'polylogue-1.2.0.tgz', files: SERVER_FILES.slice(1) }] },
      'polylogue-1.2.0.tgz lacks package.json',
    ],
    ...[
      'apps/server/src/serve.test.js',
      'apps/server/src/serve.ts',
      'data/local.key',
      '.env',
      'packages/testkit/src/a.js',
    ].map(
      (file) =>
        [
          { tarballs: [{ name: 'polylogue-1.2.0.tgz', files: [...SERVER_FILES, file] }] },
          `polylogue-1.2.0.tgz must not contain ${file}`,
        ] as const,
    ),
  ] as const)('is refused: %j', (change, problem) => {
    expect(findReleaseProblems({ ...ready, ...change })).toContain(problem)
  })

  it('is published with provenance inside the workflow only; elsewhere npm only checks', () => {
    const workflow = { GITHUB_ACTIONS: 'true', ACTIONS_ID_TOKEN_REQUEST_URL: 'https://token.example' }
    expect(publishArguments('dist/a.tgz', { isPublishing: true, env: workflow })).toContain('--provenance')
    expect(publishArguments('dist/a.tgz', { isPublishing: false, env: {} })).toContain('--dry-run')
    expect(() => publishArguments('dist/a.tgz', { isPublishing: true, env: {} })).toThrow('release workflow only')
  })
})

describe('the release workflow', () => {
  const workflow = parse(readFileSync(new URL('../../.github/workflows/release.yml', import.meta.url), 'utf8')) as {
    on: { push: { tags: string[] } }
    jobs: { release: { permissions: Record<string, string>; steps: { run?: string; uses?: string }[] } }
  }

  it('runs for a version tag, tests first, and may prove where it runs', () => {
    expect(workflow.on.push.tags).toEqual(['v*'])
    expect(workflow.jobs.release.permissions).toEqual({ contents: 'read', 'id-token': 'write' })
    const commands = workflow.jobs.release.steps.flatMap(({ run }) => run ?? [])
    expect(commands).toEqual(['npm test', 'npm run release -- --publish'])
  })

  it('takes foreign steps by their commit or from GitHub itself', () => {
    const uses = workflow.jobs.release.steps.flatMap((step) => step.uses ?? [])
    expect(uses.filter((name) => !/^actions\/[\w-]+@v\d+$|@[0-9a-f]{40}$/.test(name))).toEqual([])
  })
})
