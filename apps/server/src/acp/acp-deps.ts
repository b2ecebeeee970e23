import type { AcpDeps, AcpRights } from '@polylogue/acp'
import type { LoadedConfig } from '../config/load-config.ts'
import type { Log } from '../log/log.ts'
import { sha256 } from '../platform/sha256.ts'
import { systemClock } from '../platform/system-clock.ts'
import type { SessionServers } from '../session-tools/session-servers.ts'
import { readVersion } from '../version.ts'
import type { Parts } from '../compose.ts'
import { writeEntry } from '../log/write-entry.ts'
import { holdAttached } from './hold-attached.ts'
import { createProviderResolver } from './provider-resolver.ts'

const PAGE_SIZE = 50

export interface AcpClient {
  readonly rights: AcpRights
  readonly log: Log
}

/** For one connection. */
export type ConnectionDeps = AcpDeps & { readonly sessionServers: SessionServers }

export function toAcpDeps(parts: Parts, config: LoadedConfig, { rights, log }: AcpClient): ConnectionDeps {
  const { agents, models, workspaces, sessionTools, editors } = parts
  // A node that runs no turns cannot hold a session.
  const engine = parts.self.role === 'web' ? parts.engine : holdAttached(parts.engine)
  const { limits, providers, acp } = config
  return {
    engine,
    agents,
    models,
    workspaces,
    memories: parts.memories,
    commands: parts.commands,
    endBackground: parts.endBackground,
    providers: createProviderResolver({ agents, providers, env: process.env }),
    sessionServers: sessionTools.connectServers({ isRemote: !rights.stdioMcpServers }),
    editors: {
      allowsFiles: acp.editorFiles,
      allowsTerminals: acp.editorTerminals,
      register: editors.register,
    },
    clock: systemClock,
    digest: sha256,
    version: readVersion(),
    limits: {
      frameBytes: limits.imageRequestBytes,
      jsonDepth: limits.jsonDepth,
      outBufferBytes: limits.outBufferBytes,
      pageSize: PAGE_SIZE,
    },
    ...(parts.tracing && { follow: parts.tracing.followMessages('acp') }),
    log: (entry) => writeEntry(log, entry),
  }
}
