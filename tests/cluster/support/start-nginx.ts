import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { requireTool } from '../../house/require-tool.ts'
import { eventually } from '../../support/eventually.ts'

export interface StartedNginx {
  readonly url: string
  stop(): Promise<void>
}

export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}

/**
 * nginx with `deploy/nginx.conf`, where only addresses and folders are changed. Each request goes to the other node than the
 * one before. A node that is gone is skipped.
 */
export async function startNginx(folder: string, urls: readonly string[]): Promise<StartedNginx> {
  const port = await findFreePort()
  const program = requireTool('nginx', 'nginx-light')
  const shipped = await readFile(new URL('../../../deploy/nginx.conf', import.meta.url), 'utf8')
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder};`)
  const servers = urls.map((url) => `server ${new URL(url).host} max_fails=0;`).join(' ')
  const changes = [
    ['pid /tmp/nginx.pid;', `daemon off; pid ${folder}/nginx.pid; error_log stderr; worker_processes 1;`],
    ['http {', `http { access_log off; ${paths.join(' ')}`],
    ['server node-1:8020 max_fails=0;', servers],
    ['server node-2:8020 max_fails=0;', ''],
    ['listen 8080;', `listen 127.0.0.1:${port};`],
  ] as const
  const file = join(folder, 'nginx.conf')
  await writeFile(file, changes.reduce(replaceOnce, shipped))
  const nginx = spawn(program, ['-c', file, '-p', folder], { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  const isThere = (): Promise<true | undefined> =>
    fetch(`${url}/healthz`).then(
      ({ ok }) => ok || undefined,
      () => undefined,
    )
  await eventually(isThere, 'nginx answers')
  return {
    url,
    /** Killed outright, it would leave its worker behind. */
    async stop() {
      if (nginx.exitCode !== null) return
      const ended = once(nginx, 'exit')
      nginx.kill('SIGTERM')
      await ended
    },
  }
}

function replaceOnce(text: string, [old, changed]: readonly [string, string]): string {
  if (text.split(old).length !== 2) throw new Error(`deploy/nginx.conf does not have "${old}" once`)
  return text.replace(old, () => changed)
}
