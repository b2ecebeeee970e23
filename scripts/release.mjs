// `npm run release`: checks that this checkout can be released, packs it, and says what would be published. It publishes nothing.
// `npm run release -- --publish` publishes, and only inside the release workflow, which can prove where the packages were built.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, bootstrap, endWithSentence } from './lib/bootstrap.mjs'
import { findReleaseProblems, listTarball, publishArguments, tarballNames } from './lib/release.mjs'
import { environmentFor, run } from './lib/run.mjs'

await endWithSentence(async () => {
  const isPublishing = process.argv.includes('--publish')
  const node = await bootstrap(ROOT, { withTools: true })
  const env = environmentFor(node)
  const code = await run(node, [join(ROOT, 'scripts', 'pack.mjs')], { cwd: ROOT, env, stdio: 'inherit' })
  if (code !== 0) throw new Error('npm run pack failed; see above.')

  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const tarballs = tarballNames(version).map((name) => ({ name, files: listTarball(join(ROOT, 'dist', name)) }))
  const problems = findReleaseProblems({
    version,
    changelog: readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'),
    tags: git('tag', '--points-at', 'HEAD').split('\n'),
    changes: git('status', '--porcelain'),
    tarballs,
  })
  for (const { name, files } of tarballs) process.stdout.write(`${name}: ${files.length} files\n`)
  for (const problem of problems) process.stdout.write(`not ready: ${problem}\n`)
  if (isPublishing && problems.length > 0) throw new Error('This checkout cannot be released.')

  for (const { name } of tarballs) {
    const args = publishArguments(join('dist', name), { isPublishing, env: process.env })
    process.stdout.write(`npm ${args.join(' ')}\n`)
    const status = await run('npm', args, { cwd: ROOT, env, stdio: ['ignore', 'ignore', 'inherit'] })
    if (status !== 0) throw new Error(`npm publish of ${name} failed; see above.`)
  }
  process.stdout.write(isPublishing ? `Published ${version}.\n` : 'Nothing was published.\n')
  if (problems.length > 0) process.exitCode = 1
})

/** @param {string[]} args */
function git(...args) {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim()
}
