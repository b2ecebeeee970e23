import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
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

/** Each request goes to the other node than the one before. A node that is gone is skipped. */
export async function startNginx(folder: string, urls: readonly string[]): Promise<StartedNginx> {
  const port = await findFreePort()
  const program = requireTool('nginx', 'nginx-light')
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder};`)
  const file = join(folder, 'nginx.conf')
  await writeFile(
    file,
    `daemon off; pid ${folder}/nginx.pid; error_log stderr; worker_processes 1;
    events {}
    http {
      access_log off; ${paths.join(' ')}
      upstream polylogue { ${urls.map((url) => `server ${new URL(url).host} max_fails=0;`).join(' ')} }
      server {
        listen 127.0.0.1:${port};
        location / {
          proxy_pass http://polylogue;
          proxy_http_version 1.1;
          proxy_set_header Host $http_host;
          proxy_set_header Upgrade $http_upgrade;
          proxy_set_header Connection $http_connection;
          proxy_buffering off;
          proxy_read_timeout 1h;
        }
      }
    }`,
  )
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
