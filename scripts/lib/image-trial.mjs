// Runs the steps of the Dockerfile without Docker: in a clean Debian that debootstrap makes, one root for each stage. Then it
// starts the server as the image would, as its user on a read-only root, and runs the health check. Needs root and debootstrap.
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { ROOT, endWithSentence } from './bootstrap.mjs'
import { parseDockerfile } from './dockerfile.mjs'
import { tell } from './run.mjs'

const NODE_USER = 1000
const HEALTH_TRIES = 30

await endWithSentence(async () => {
  if (process.getuid?.() !== 0) throw new Error('Run this as root: it makes a root of its own and enters it.')
  if (spawnSync('debootstrap', ['--version']).status !== 0) throw new Error('Install debootstrap first.')
  const work = mkdtempSync(join(tmpdir(), 'polylogue-image-'))
  try {
    const stages = parseDockerfile(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))
    const base = join(work, 'base')
    makeBase(base, process.execPath)
    const roots = new Map()
    let last
    for (const stage of stages) {
      const root = join(work, stage.name)
      must('cp', ['-a', base, root])
      roots.set(stage.name, root)
      build(stage, root, roots)
      last = { stage, root }
    }
    if (last === undefined) throw new Error('The Dockerfile has no stage.')
    await checkHealth(last.stage, last.root)
    tell('The image works: it was built, started and found healthy.')
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
})

/**
 * What node:24-bookworm-slim gives: Debian, Node with npm, the user `node`.
 * @param {string} root
 * @param {string} node
 */
function makeBase(root, node) {
  tell('Making a clean root (debootstrap)…')
  must('debootstrap', ['--variant=minbase', '--include=ca-certificates', 'bookworm', root])
  cpSync(node, join(root, 'usr/local/bin/node'))
  const npm = dirname(dirname(must('readlink', ['-f', must('which', ['npm']).trim()]).trim()))
  mkdirSync(join(root, 'usr/local/lib/node_modules'), { recursive: true })
  cpSync(npm, join(root, 'usr/local/lib/node_modules/npm'), { recursive: true })
  inside(root, 'ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm')
  inside(root, `useradd --uid ${NODE_USER} --create-home node`)
  joinNetwork(root)
  for (const file of globSync('/etc/apt/{sources.list,sources.list.d/*,apt.conf.d/*}')) cpSync(file, join(root, file))
}

/**
 * The way to the registries of this machine. Installing certificates removes it, so it is shown before every step.
 * @param {string} root
 */
function joinNetwork(root) {
  const { NODE_EXTRA_CA_CERTS = '', SSL_CERT_FILE = '' } = process.env
  for (const file of [
    '/etc/resolv.conf',
    '/etc/hosts',
    '/root/.npmrc',
    '/etc/npmrc',
    NODE_EXTRA_CA_CERTS,
    SSL_CERT_FILE,
  ]) {
    if (file !== '' && existsSync(file)) cpSync(file, join(root, file), { dereference: true })
  }
}

/**
 * @param {import('./dockerfile.mjs').Stage} stage
 * @param {string} root
 * @param {Map<string, string>} roots
 */
function build({ name, steps }, root, roots) {
  let folder = '/'
  for (const { word, text, from } of steps) {
    tell(`${name}: ${word} ${text.slice(0, 90)}`)
    if (word === 'RUN') {
      joinNetwork(root)
      inside(root, `cd ${folder} && ${text}`)
    }
    if (word === 'WORKDIR') {
      folder = text
      mkdirSync(join(root, folder), { recursive: true })
    }
    if (word !== 'COPY') continue
    const [source = '', target = ''] = text.split(' ').filter((part) => !part.startsWith('--'))
    if (from === undefined)
      must('sh', ['-c', `git ls-files -z | xargs -0 cp --parents -t ${join(root, folder, target)}`])
    else for (const path of globSync(join(roots.get(from) ?? '', source))) cpSync(path, join(root, target))
  }
}

/**
 * @param {import('./dockerfile.mjs').Stage} stage
 * @param {string} root
 */
async function checkHealth({ steps }, root) {
  const argvOf = (/** @type {string} */ word) => {
    const text = steps.findLast((step) => step.word === word)?.text ?? ''
    return /** @type {string[]} */ (JSON.parse(text.slice(text.indexOf('['))))
  }
  const environment = steps.filter(({ word }) => word === 'ENV').flatMap(({ text }) => text.split(' '))
  const enter = `mount --bind ${root} ${root} && mount -o remount,ro,bind ${root} && mount --bind ${root}.data ${root}/data && mount -t tmpfs none ${root}/tmp && mount -t proc proc ${root}/proc`
  must('cp', ['-a', join(root, 'data'), `${root}.data`])
  const argv = [...argvOf('ENTRYPOINT'), ...argvOf('CMD')].map((word) => `'${word}'`).join(' ')
  const start = `${enter} && exec chroot --userspec=${NODE_USER}:${NODE_USER} ${root} env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/tmp ${environment.join(' ')} ${argv}`
  const server = spawn(
    'unshare',
    ['--mount', '--net', '--pid', '--fork', '--kill-child', 'sh', '-c', `ip link set lo up; ${start}`],
    { stdio: 'inherit' },
  )
  try {
    for (let tried = 0; tried < HEALTH_TRIES; tried += 1) {
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      const child = childOf(server.pid ?? 0)
      const [command = '', ...args] = argvOf('HEALTHCHECK')
      const check = spawnSync('nsenter', [
        '--target',
        String(child),
        '--net',
        '--mount',
        'chroot',
        root,
        command,
        ...args,
      ])
      if (check.status === 0) return
      if (server.exitCode !== null) throw new Error('The server ended before it was healthy.')
    }
    throw new Error(`The server was not healthy within ${HEALTH_TRIES} seconds.`)
  } finally {
    // unshare itself ignores SIGTERM; its child ends with it.
    server.kill('SIGKILL')
  }
}

/** @param {number} pid */
function childOf(pid) {
  return (
    spawnSync('pgrep', ['--parent', String(pid)], { encoding: 'utf8' })
      .stdout.trim()
      .split('\n')[0] ?? pid
  )
}

/**
 * @param {string} root
 * @param {string} line
 */
function inside(root, line) {
  const enter = `mount -t proc proc ${root}/proc && mount --rbind /dev ${root}/dev && exec chroot ${root} sh -ec "$0"`
  return must('unshare', ['--mount', 'sh', '-c', enter, line])
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 */
function must(command, args) {
  const { status, stdout } = spawnSync(command, args, {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (status !== 0)
    throw new Error(`${basename(command)} ${args.join(' ').slice(0, 120)} failed; see the output above.`)
  return stdout
}
