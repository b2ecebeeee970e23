import { mkdir, readFile, readdir, readlink, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInvocation } from '@polylogue/testkit'
import { createBashTool, createProtectedSet } from '@polylogue/tools'
import type { Escape } from './escapes.ts'

export interface EscapeResult {
  /** The escapes that worked, as they are written. */
  readonly worked: readonly string[]
  /** What was done outside in spite of it all. */
  readonly traces: readonly string[]
}

/** Outside of /tmp, which a sandbox replaces. */
const PLACES = '/var/tmp'

type Granted = NonNullable<Parameters<typeof createInvocation>[2]>['granted']

export async function tryEscapes(
  escapes: readonly Escape[],
  sandbox: 'none' | 'required',
  granted: Granted = {},
): Promise<EscapeResult> {
  const folder = join(PLACES, `polylogue-test-${process.pid}-${sandbox}`)
  const [out, data, work] = ['out', 'data', 'work'].map((name) => join(folder, name)) as [string, string, string]
  for (const path of [out, data, work]) await mkdir(path, { recursive: true })
  const hostTmp = join(tmpdir(), `polylogue-test-${process.pid}-${sandbox}`)
  await Promise.all(
    [out, data].map((path) => writeFile(join(path, path === out ? 'file' : 'secret'), 'canary-in-data')),
  )
  await writeFile(hostTmp, '')
  let visits = 0
  const servers = [
    createServer((socket) => void (visits++, socket.end())),
    createServer((socket) => void (visits++, socket.end())),
  ] as const
  await new Promise<void>((resolve) => servers[0].listen(0, '127.0.0.1', resolve))
  await new Promise<void>((resolve) => servers[1].listen(join(data, 'socket'), resolve))
  const address = servers[0].address()
  const [pid, net, mnt] = await Promise.all(['pid', 'net', 'mnt'].map((name) => readlink(`/proc/self/ns/${name}`)))
  try {
    const tool = createBashTool({
      stateDir: join(folder, 'state'),
      outputDir: join(folder, 'outputs'),
      sandbox,
      protectedSet: createProtectedSet({ secret: [data] }),
      environment: {
        OUT: out,
        DATA: data,
        HOST_TMP: hostTmp,
        NODE: process.execPath,
        PORT: String(typeof address === 'object' ? address?.port : ''),
        SERVER_PID: String(process.pid),
        HOST_PID_NS: pid ?? '',
        HOST_NET_NS: net ?? '',
        HOST_MNT_NS: mnt ?? '',
      },
    })
    const worked: string[] = []
    for (const { command } of escapes) {
      const call = createInvocation(tool, { command }, { workspace: { cwd: work, roots: [work] }, granted })
      const { isError } = await tool.run(call)
      if (isError !== true) worked.push(command)
    }
    const content = await readFile(join(out, 'file'), 'utf8')
    const traces = [
      ...(await readdir(out)).filter((name) => name !== 'file'),
      ...(content === 'canary-in-data' ? [] : ['file changed']),
      ...(visits === 0 ? [] : ['connected']),
    ]
    return { worked, traces }
  } finally {
    for (const server of servers) server.close()
    await rm(folder, { recursive: true, force: true })
    await rm(hostTmp, { force: true })
  }
}
