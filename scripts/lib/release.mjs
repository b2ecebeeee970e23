import { execFileSync } from 'node:child_process'

/** What must and must not be in a tarball, by the name of its package. */
const CONTENTS = [
  {
    package: /^polylogue-\d/,
    needs: [
      'package.json',
      'README.md',
      'LICENSE',
      'apps/cli/polylogue.cjs',
      'apps/cli/src/main.js',
      'apps/web/dist/index.html',
    ],
  },
  { package: /^polylogue-client-\d/, needs: ['package.json', 'README.md', 'LICENSE'] },
]
const UNWANTED =
  /\.test\.|(?:^|\/)(?:tests|testkit|test-support|node_modules|\.cache)\/|(?<!\.d)\.tsx?$|\.key$|(?:^|\/)\.env/

/**
 * @param {string} version
 * @returns {string[]} the files that `npm run pack` writes
 */
export const tarballNames = (version) => [`polylogue-${version}.tgz`, `polylogue-client-${version}.tgz`]

/**
 * @param {string} path
 * @returns {string[]} the files inside, without the folder that npm puts them in
 */
export function listTarball(path) {
  const listed = execFileSync('tar', ['tzf', path], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  return listed
    .trim()
    .split('\n')
    .map((name) => name.replace(/^package\//, ''))
}

/**
 * @typedef {{ readonly version: string, readonly changelog: string, readonly tags: readonly string[], readonly changes: string, readonly tarballs: readonly { readonly name: string, readonly files: readonly string[] }[] }} Release
 * @param {Release} release `tags` of the checked-out commit, `changes` as `git status --porcelain` prints them
 * @returns {string[]} a sentence for each reason not to release
 */
export function findReleaseProblems({ version, changelog, tags, changes, tarballs }) {
  const problems = []
  if (!/^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/.test(version)) problems.push(`${version} is not a version`)
  if (!new RegExp(`^## ${version.replaceAll('.', String.raw`\.`)} \\(\\d{4}-\\d{2}-\\d{2}\\)$`, 'm').test(changelog)) {
    problems.push(`CHANGELOG.md has no section "## ${version} (YYYY-MM-DD)"`)
  }
  if (!tags.includes(`v${version}`)) problems.push(`this commit has no tag v${version}`)
  if (changes !== '') problems.push('the working tree has changes that are not committed')
  for (const { name, files } of tarballs) problems.push(...findContentProblems(name, files))
  return problems
}

/**
 * @param {string} name
 * @param {readonly string[]} files
 */
function findContentProblems(name, files) {
  const { needs = [] } = CONTENTS.find((content) => content.package.test(name)) ?? {}
  return [
    ...needs.filter((file) => !files.includes(file)).map((file) => `${name} lacks ${file}`),
    ...files.filter((file) => UNWANTED.test(file)).map((file) => `${name} must not contain ${file}`),
  ]
}

/**
 * Outside the workflow a publication has no provenance, so it is refused. Without `isPublishing`, npm checks everything and sends
 * nothing.
 * @param {string} tarball
 * @param {{ readonly isPublishing: boolean, readonly env: NodeJS.ProcessEnv }} options
 * @returns {string[]}
 */
export function publishArguments(tarball, { isPublishing, env }) {
  const args = ['publish', `./${tarball}`, '--access', 'public', '--provenance']
  if (!isPublishing) return [...args, '--dry-run', '--loglevel=error']
  if (env['GITHUB_ACTIONS'] !== 'true' || !env['ACTIONS_ID_TOKEN_REQUEST_URL']) {
    throw new Error('Publish from the release workflow only: no other place can prove where a package was built.')
  }
  return args
}
