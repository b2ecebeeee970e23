import { describe, expect, it } from 'vitest'
import { inspectCommand } from './inspect-command.ts'

const networkOf = async (command: string): Promise<readonly string[] | undefined> =>
  (await inspectCommand(command, { cwd: '/work', home: '/home/u', roots: ['/work'] })).facts.network

describe('commands that need the network', () => {
  it.each([
    ['npm install', ['registry.npmjs.org']],
    ['npm ci --no-audit', ['registry.npmjs.org']],
    ['npm i --registry http://127.0.0.1:4873 left-pad', ['127.0.0.1:4873']],
    ['pnpm add zod', ['registry.npmjs.org']],
    ['yarn', ['registry.yarnpkg.com', 'registry.npmjs.org']],
    ['npx cowsay hi', ['registry.npmjs.org']],
    ['pip install requests', ['pypi.org', 'files.pythonhosted.org']],
    ['python3 -m pip install --index-url https://pypi.corp.example/simple x', ['pypi.corp.example']],
    ['uv sync', ['pypi.org', 'files.pythonhosted.org']],
    ['cargo build --release', ['index.crates.io', 'static.crates.io']],
    ['go get example.com/x', ['proxy.golang.org', 'sum.golang.org']],
    ['mvn package', ['repo.maven.apache.org', 'plugins.gradle.org']],
    ['apt-get install jq', ['the package mirrors of this system']],
    ['git push origin main', ['the remotes of the repository']],
    ['git clone https://user:token@example.com/a.git', ['example.com']],
    ['git clone git@example.com:a/b.git', ['example.com']],
    ['curl -fsSL https://example.com/x?y | tar xz', ['example.com']],
    ['curl example.com/x', ['example.com']],
    ['curl "$URL"', ['a host that shows only when it runs']],
    ['wget -q http://a.example/1 http://b.example:8080/2', ['a.example', 'b.example:8080']],
    ['ssh deploy@host.example uptime', ['host.example']],
    ['cd app && npm install', ['registry.npmjs.org']],
    ['env CI=1 npm ci', ['registry.npmjs.org']],
    ["bash -c 'pip install x'", ['pypi.org', 'files.pythonhosted.org']],
    ['timeout 60 npm ci', ['registry.npmjs.org']],
    ['npm test || npm install', ['registry.npmjs.org']],
    ['curl https://gооgle.com/', ['xn--ggle-55da.com']],
  ])('%s', async (command, hosts) => {
    expect(await networkOf(command)).toEqual(hosts)
  })

  it.each([
    'npm test',
    'npm run build',
    'npm --version',
    'curl --version',
    'cargo build --offline',
    'npx --no-install tsc',
    'mvn -o package',
    'git commit -m "npm install"',
    'git status',
    'echo npm install',
    'grep -r curl .',
    'make',
    './install.sh',
    'go version',
    'cat package.json',
  ])('%s is not one of them', async (command) => {
    expect(await networkOf(command)).toBeUndefined()
  })
})
