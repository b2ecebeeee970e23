import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments, parse } from 'yaml'
import { parseDockerfile } from '../../scripts/lib/dockerfile.mjs'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8')

interface ComposeService {
  readonly command?: readonly string[]
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly volumes?: readonly string[]
}

describe('the composition of two nodes', () => {
  const { services, volumes } = parse(read('deploy/compose.yaml'), { merge: true }) as {
    services: Record<string, ComposeService>
    volumes: Record<string, unknown>
  }

  it.each(['node-1', 'node-2'])('%s shares the database and the secret key, and has data of its own', (name) => {
    const node = services[name]
    expect(node?.command?.join(' ')).toMatch(/^serve .*--database=postgres:\/\/.*@postgres\/polylogue/)
    expect(node?.command).toContain(`--node-url=http://${name}:8020`)
    expect(node).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
    expect(node?.environment?.['POLYLOGUE_SECRET_KEY_FILE']).toMatch(/^\/shared\//)
    // Commands in the container find it, and any character may be in it.
    expect(node?.environment?.['PGPASSWORD']).toBe(services['postgres']?.environment?.['POSTGRES_PASSWORD'])
    expect(node?.command?.join(' ')).not.toContain('PASSWORD')
    expect(node?.command).toContain('--workspaces=/shared/workspaces')
    expect(node?.volumes).toEqual([`data-${name.at(-1)}:/data`, 'shared:/shared'])
    expect(node?.depends_on).toMatchObject({ postgres: { condition: 'service_healthy' } })
  })

  it('names every volume and every service that it uses', () => {
    const used = Object.values(services).flatMap((service) => service.volumes ?? [])
    const named = used.map((volume) => volume.split(':')[0] ?? '').filter((volume) => !volume.startsWith('.'))
    expect(new Set(named)).toEqual(new Set(Object.keys(volumes)))
    const upstream = [...read('deploy/nginx.conf').matchAll(/server ([\w-]+):(\d+) /g)]
    expect(upstream.map(([, name]) => name)).toEqual(['node-1', 'node-2'])
    expect(read('deploy/nginx.conf')).not.toMatch(/ip_hash|sticky/)
    const exposed = parseDockerfile(read('Dockerfile'))
      .at(-1)
      ?.steps.find(({ word }) => word === 'EXPOSE')?.text
    expect(new Set(upstream.map(([, , port]) => port))).toEqual(new Set([exposed]))
  })
})

describe('the manifests for Kubernetes', () => {
  const documents = parseAllDocuments(read('deploy/kubernetes.yaml'), { merge: true })
  const manifests = documents.map((document) => document.toJS() as Record<string, unknown>)

  it('are whole documents of known kinds', () => {
    expect(documents.flatMap(({ errors }) => errors)).toEqual([])
    expect(manifests.map(({ apiVersion, kind }) => `${String(apiVersion)} ${String(kind)}`)).toEqual([
      'apps/v1 Deployment',
      'apps/v1 Deployment',
      'v1 Service',
      'policy/v1 PodDisruptionBudget',
      'policy/v1 PodDisruptionBudget',
      'v1 PersistentVolumeClaim',
    ])
  })

  const deployments = manifests.filter(({ kind }) => kind === 'Deployment') as unknown as readonly Deployment[]
  const argsOf = ({ spec }: Deployment): readonly string[] => spec.template.spec.containers[0]?.args ?? []

  it.each(deployments.map((deployment) => [deployment.metadata.name, deployment] as const))(
    '%s runs the image without rights, and mounts only volumes that it declares',
    (_, deployment) => {
      const pod = deployment.spec.template.spec
      const declared = pod.volumes.map(({ name }) => name)
      for (const container of [...pod.initContainers, ...pod.containers]) {
        expect(container.securityContext).toMatchObject({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
        expect(declared).toEqual(expect.arrayContaining(container.volumeMounts.map(({ name }) => name)))
      }
      const [node] = pod.containers
      expect(node?.args?.[0]).toBe('serve')
      const mounted = node?.volumeMounts.find(({ name }) => name === 'workspaces')?.mountPath
      expect(node?.args).toContain(`--workspaces=${mounted}`)
      const claim = pod.volumes.find(({ name }) => name === 'workspaces')?.persistentVolumeClaim?.claimName
      expect(manifests.at(-1)).toMatchObject({ metadata: { name: claim }, spec: { accessModes: ['ReadWriteMany'] } })
      const key = node?.env?.find(({ name }) => name === 'POLYLOGUE_SECRET_KEY_FILE')?.value ?? ''
      expect(pod.initContainers[0]?.command?.at(-1)).toBe(key)
      // A volume with fsGroup is open to the group, and belongs to root: only a directory in it can be closed.
      const data = node?.env?.find(({ name }) => name === 'POLYLOGUE_DATA')?.value ?? ''
      const volume = node?.volumeMounts.find(({ name }) => name === 'data')?.mountPath ?? ''
      expect(data.startsWith(`${volume}/`)).toBe(true)
      // Turns get 30 seconds to finish.
      expect(pod.terminationGracePeriodSeconds).toBe(45)
    },
  )

  it('let web nodes serve clients without stickiness, and workers run their turns', () => {
    const [web, worker] = deployments
    if (web === undefined || worker === undefined) throw new Error('there are two deployments')
    expect(argsOf(web)).toEqual(expect.arrayContaining(['--role=web', '--node-url=http://$(POD_IP):8020']))
    expect(argsOf(worker)).toContain('--role=worker')
    const labelsOf = ({ spec }: Deployment) => spec.template.metadata.labels
    const [service] = manifests.filter(({ kind }) => kind === 'Service')
    expect(service).toMatchObject({ spec: { selector: labelsOf(web) } })
    const budgets = manifests.filter(({ kind }) => kind === 'PodDisruptionBudget')
    expect(budgets).toMatchObject(
      deployments.map((each) => ({ spec: { minAvailable: 1, selector: { matchLabels: labelsOf(each) } } })),
    )
    expect(JSON.stringify(manifests)).not.toContain('sessionAffinity')
  })
})

interface Deployment {
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> }
      readonly spec: PodSpec
    }
  }
}

interface PodSpec {
  readonly terminationGracePeriodSeconds: number
  readonly volumes: readonly {
    readonly name: string
    readonly persistentVolumeClaim?: { readonly claimName: string }
  }[]
  readonly initContainers: readonly Container[]
  readonly containers: readonly Container[]
}

interface Container {
  readonly args?: readonly string[]
  readonly command?: readonly string[]
  readonly env?: readonly { readonly name: string; readonly value: string }[]
  readonly securityContext: unknown
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
}

describe('the unit for systemd', () => {
  it('starts our command, as its own user, with a private directory', () => {
    const unit = new Map(
      [...read('deploy/polylogue.service').matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [
        name,
        value,
      ]),
    )
    expect(unit.get('ExecStart')).toMatch(/ polylogue serve --data \$\{STATE_DIRECTORY\} /)
    expect(Object.fromEntries(unit)).toMatchObject({
      DynamicUser: 'yes',
      StateDirectoryMode: '0700',
      ProtectSystem: 'strict',
    })
    expect(Number(unit.get('TimeoutStopSec'))).toBeGreaterThan(30)
  })

  it('starts again for as long as the database is away, and not when a flag or the configuration is wrong', () => {
    const unit = read('deploy/polylogue.service')
    expect(unit).toMatch(/^\[Unit\]\n[^[]*^StartLimitIntervalSec=0$/m)
    expect(unit).toMatch(/^Restart=on-failure$/m)
    expect(unit).toMatch(/^RestartPreventExitStatus=2 78$/m)
  })
})
