// Programs that need the network, and whom they are known to talk to.

export interface NetworkProgram {
  /** Whom it talks to unless its arguments name somebody else. */
  readonly talksTo: readonly string[]
  /** The verbs that need the network. Absent: every call does. An empty verb: a call without one. */
  readonly verbs?: ReadonlySet<string>
  /** Its operands are hosts or URLs, and without one it talks to nobody. */
  readonly takesHosts?: true
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

const NPM = ['registry.npmjs.org']
const PYPI = ['pypi.org', 'files.pythonhosted.org']
const CRATES = ['index.crates.io', 'static.crates.io']
const GO = ['proxy.golang.org', 'sum.golang.org']
const MAVEN = ['repo.maven.apache.org', 'plugins.gradle.org']
const MIRRORS = ['the package mirrors of this system']
const REMOTES = ['the remotes of the repository']
const SERVICE = ['the service that the program belongs to']
const DATABASE = ['the database that it is told to use']

const NPM_VERBS =
  'install i add ci update up upgrade audit outdated view info show search exec x dlx create publish unpublish login whoami ping ' +
  'dedupe it install-test cit dist-tag fetch import deprecate owner access token'
const PIP_VERBS = 'install download wheel index search'
const CARGO_VERBS =
  'build b check c test t run r bench install add update fetch publish search doc d clippy vendor login yank owner fix'
const GO_VERBS = 'get install mod build test run vet generate list work'

const PROGRAMS: { readonly [names: string]: NetworkProgram } = {
  npm: { talksTo: NPM, verbs: words(NPM_VERBS) },
  pnpm: { talksTo: NPM, verbs: words(NPM_VERBS) },
  yarn: { talksTo: ['registry.yarnpkg.com', ...NPM], verbs: new Set(['', ...words(NPM_VERBS), 'npm', 'global']) },
  bun: { talksTo: NPM, verbs: words(NPM_VERBS) },
  'npx pnpx bunx': { talksTo: NPM },
  deno: { talksTo: ['jsr.io', 'deno.land', ...NPM], verbs: words('install add cache upgrade publish outdated update') },
  'pip pip3': { talksTo: PYPI, verbs: words(PIP_VERBS) },
  uv: { talksTo: PYPI, verbs: words('sync add pip lock run tool publish python') },
  'uvx pipx': { talksTo: PYPI },
  'poetry pipenv pdm hatch': {
    talksTo: PYPI,
    verbs: words('install add update lock sync publish upgrade env run build'),
  },
  'conda mamba micromamba': {
    talksTo: ['conda.anaconda.org'],
    verbs: words('install create update upgrade search env'),
  },
  cargo: { talksTo: CRATES, verbs: words(CARGO_VERBS) },
  rustup: { talksTo: ['static.rust-lang.org'], verbs: words('install update toolchain target component self') },
  go: { talksTo: GO, verbs: words(GO_VERBS) },
  'mvn mvnw gradle gradlew sbt': { talksTo: MAVEN },
  gem: { talksTo: ['rubygems.org'], verbs: words('install update fetch push search') },
  'bundle bundler': { talksTo: ['rubygems.org'], verbs: new Set(['', ...words('install update add outdated')]) },
  composer: {
    talksTo: ['repo.packagist.org'],
    verbs: words('install i update u require create-project global outdated'),
  },
  dotnet: { talksTo: ['api.nuget.org'], verbs: words('restore build run test publish add tool new pack') },
  'swift mix cabal stack opam luarocks nimble': { talksTo: SERVICE },
  'apt apt-get aptitude dnf yum apk pacman zypper snap flatpak brew port nix nix-env': { talksTo: MIRRORS },
  'gh glab aws gcloud az doctl heroku flyctl fly vercel netlify wrangler kubectl helm terraform tofu ansible': {
    talksTo: SERVICE,
  },
  'psql pg_dump pg_restore mysql mysqldump mariadb redis-cli mongosh mongo mongodump clickhouse-client': {
    talksTo: DATABASE,
  },
  git: { talksTo: REMOTES, verbs: words('clone fetch pull push ls-remote submodule lfs') },
  'svn hg': { talksTo: REMOTES, verbs: words('clone checkout co pull push update up incoming outgoing commit ci') },
  'curl wget http https xh aria2c axel lynx w3m links elinks yt-dlp youtube-dl': { talksTo: [], takesHosts: true },
  'ssh scp sftp ftp mosh telnet nc ncat netcat socat ping ping6 traceroute tracepath mtr dig nslookup host whois': {
    talksTo: [],
    takesHosts: true,
  },
}

export const NETWORK_PROGRAMS: ReadonlyMap<string, NetworkProgram> = new Map(
  Object.entries(PROGRAMS).flatMap(([names, program]) => names.split(' ').map((name) => [name, program] as const)),
)
