import { StorageFault } from '@polylogue/engine'
import { findKeyedProviders } from '@polylogue/models'
import { detectSandbox } from '@polylogue/tools'
import { join, resolve } from 'node:path'
import { createAccess } from './access.ts'
import { formatKeysCreate } from './auth/keys-create-line.ts'
import { findLocalKey, lacksFirstKey, openLocalKey } from './auth/local-key.ts'
import { LOCAL_USER } from './auth/key-ring.ts'
import { createSignInCodes } from './auth/sign-in-codes.ts'
import { createCardCodes, createEmbedLink, createSignInLink } from './auth/sign-in-link.ts'
import { ConfigError } from './config/config-error.ts'
import { loadConfig } from './config/load-config.ts'
import { useKeptModels } from './models/kept-models.ts'
import { noteSharedDatabase, prepareDataDir } from './data-dir.ts'
import { readersOf } from './doors/attached-clients.ts'
import { DOORS, openDoors } from './doors/doors.ts'
import type { OpenDoor } from './doors/door-deps.ts'
import { GIVE_UP_MS, createDrain } from './drain.ts'
import { isLoopback } from './http/network-address.ts'
import { findOpenAddresses } from './http/open-addresses.ts'
import { refuseGuessableKeys, refuseUnsafeBind } from './http/refuse-unsafe-bind.ts'
import { installLastResort } from './last-resort.ts'
import { createListeners } from './listeners.ts'
import { learnConfiguration, learnEnvironment, learnPassword } from './log/known-secrets.ts'
import { createLog } from './log/log.ts'
import { writeEntry } from './log/write-entry.ts'
import { createRedactor } from './log/redactor.ts'
import { takeOwnership } from './owner/take-ownership.ts'
import type { Phase } from './phase.ts'
import { openPipe } from './pipe/open-pipe.ts'
import { describeConfinement } from './platform/confinement.ts'
import { randomBytes } from './platform/random-bytes.ts'
import { sha256 } from './platform/sha256.ts'
import { EXIT_CONFIG, EXIT_FAILURE, ServeError } from './serve-error.ts'
import { createRetention } from './retention/retention.ts'
import type { RunningServer, ServeOptions } from './serve-options.ts'
import { awaitTools } from './session-tools/await-tools.ts'
import { createStatus } from './status.ts'
import { compose } from './compose.ts'
import { within } from './within.ts'

/** Becomes the owner of the data directory and serves it. Rejects with a `ServeError` where a user can help. */
export async function serve(options: ServeOptions, doors: readonly OpenDoor[] = DOORS): Promise<RunningServer> {
  const undo = new AsyncDisposableStack()
  try {
    return await start(withAbsolutePaths(options), doors, undo)
  } catch (error) {
    await undo.disposeAsync()
    if (error instanceof ConfigError) throw new ServeError(error.message, EXIT_CONFIG, { cause: error })
    if (error instanceof StorageFault) throw new ServeError(error.message, EXIT_FAILURE, { cause: error })
    throw error
  }
}

function withAbsolutePaths(options: ServeOptions): ServeOptions {
  const { startDir, dataDir, workspaces } = options
  return {
    ...options,
    dataDir: resolve(startDir, dataDir),
    ...(workspaces !== undefined && { workspaces: resolve(startDir, workspaces) }),
  }
}

async function start(
  options: ServeOptions,
  list: readonly OpenDoor[],
  undo: AsyncDisposableStack,
): Promise<RunningServer> {
  const { dataDir, listen } = options
  const extraKeys = checkKeys(options.keys ?? [])
  if (listen !== undefined) refuseGuessableKeys(listen.host, extraKeys)
  const redactor = createRedactor()
  for (const key of extraKeys) redactor.learn(key)
  learnEnvironment(redactor, process.env)
  learnPassword(redactor, options.database ?? '')
  learnPassword(redactor, options.databaseDirect ?? '')
  learnPassword(redactor, options.redis ?? '')
  const log = createLog(options.log ?? 'info', redactor)
  undo.defer(() => log.close())
  const lastResort = options.ownsProcess === true ? installLastResort(log) : undefined
  undo.defer(() => lastResort?.remove())
  // It asks another program, which takes its time while the configuration is read.
  void detectSandbox().catch(() => undefined)
  const { signal } = options
  if (options.configFile === undefined) await unlessAborted(options.approveFolder?.(options.startDir), signal)
  const config = await loadConfig({
    directory: options.startDir,
    ...(options.configFile === undefined ? {} : { file: options.configFile }),
  })
  learnConfiguration(redactor, config)
  for (const { apiKey } of findKeyedProviders(config.providers, process.env)) redactor.learn(apiKey)
  prepareDataDir(dataDir)
  const lock = await takeOwnership(dataDir, {
    insists: listen !== undefined,
    signal,
    waiting: () => log.warn({}, 'an editor has the data directory open; waiting for its turns to finish'),
  })
  undo.defer(() => lock.release())
  signal?.throwIfAborted()

  const modelsFault = useKeptModels(dataDir)
  if (modelsFault !== undefined) log.warn({}, modelsFault)
  const parts = await compose(options, config, { log, redactor })
  undo.defer(() => parts.close())
  signal?.throwIfAborted()
  const keyFile = join(dataDir, 'local.key')
  const isFirstStart = parts.isNew || (await lacksFirstKey(keyFile, parts.keys))
  let node: RunningServer['node']
  if (listen !== undefined) {
    const { url: database, name } = await parts.storage.describe()
    if (parts.mode === 'shared') {
      node = { role: parts.self.role, database: name }
      noteSharedDatabase(dataDir, name)
    }
    const makeKeyWith = formatKeysCreate({ ...options, database, env: process.env })
    await refuseUnsafeBind(listen.host, { keys: parts.keys, extraKeys, isFirstStart, makeKeyWith })
  }
  // An errand needs no key, and must not make one where its user has just revoked the last.
  const mayMakeKey = listen !== undefined || isFirstStart
  const localKey = await (mayMakeKey
    ? openLocalKey(keyFile, parts.keys, parts.sharedLocalKey)
    : findLocalKey(keyFile, parts.keys))
  if (localKey !== undefined) redactor.learn(localKey.plain)
  const codes = createSignInCodes({
    store: parts.signIns,
    clock: parts.clock,
    random: randomBytes,
    digest: sha256,
    isKnown: (userId) => parts.users.exists(userId),
  })

  let phase: Phase = 'starting'
  const access = createAccess({ options, config, parts, redactor })
  const status = createStatus({ parts, phase: () => phase, url: () => listeners.url, doors: () => doors })
  const signInLink = createSignInLink({
    codes,
    redactor,
    address: () => listeners.url && (access.publicUrl ?? listeners.url),
    addUser: (userId) => parts.users.add(userId, 'user'),
  })
  const embedLink = createEmbedLink({ codes, redactor, hosts: config.embed.hosts, publicUrl: access.publicUrl })
  const cardCodes = createCardCodes({ codes, redactor })
  const doors = openDoors(list, {
    parts,
    config,
    log,
    authenticate: access.authenticate,
    addressOf: access.addressOf,
    clientOf: access.clientOf,
    status,
    signInLink,
    embedLink,
    cardCodes,
    ...(options.handsOver === true && { handOver: () => void drain.stop() }),
  })
  undo.defer(() => within(GIVE_UP_MS, Promise.all(doors.map((door) => door.close()))))
  parts.clientsElsewhere?.answerWith((sessionId) => readersOf(doors, sessionId))
  const listeners = createListeners({
    dataDir,
    isHeadless: options.role === 'worker',
    times: config.limits,
    parts,
    access,
    doors,
    codes,
    oidc: config.signIn.oidc,
    embedHosts: config.embed.hosts,
    log,
    redactor,
    phase: () => phase,
  })
  undo.defer(() => listeners.close())
  parts.onCutOff(() => listeners.cutPublic())
  // An editor comes by its pipe and may never need the other doors.
  if (options.role !== 'editor') await Promise.all(doors.map(async (door) => door.prepare?.()))
  // The port first: when it is taken, no turn has been taken over in vain.
  const url = listen === undefined ? undefined : await listeners.listen(listen)
  // A server connects to its MCP servers at once, an errand only if it has a turn to run.
  if (listen !== undefined) {
    parts.connectServers()
    await unlessAborted(awaitTools(parts, parts.mcp), signal)
  }
  signal?.throwIfAborted()
  await parts.engine.start(listen === undefined ? 'used' : 'all')
  undo.defer(() => within(GIVE_UP_MS, parts.schedules.idle()))
  undo.defer(() => within(GIVE_UP_MS, parts.engine.stop(0)))
  // Only a server looks at the clock: an errand may lack its configuration, and is gone before anything has ended.
  if (listen !== undefined) parts.schedules.start()
  undo.defer(() => parts.schedules.stop())
  const retention = createRetention({
    ...config.retention,
    ...parts,
    log: (entry) => writeEntry(log, entry),
  })
  if (listen !== undefined) retention.start()
  undo.defer(() => retention.stop())
  await listeners.listenForOwner()
  phase = 'ready'
  log.info({ url, dataDir }, 'ready')

  const kept = undo.move()
  const drain = createDrain({
    begin() {
      phase = 'draining'
      log.info({ turns: parts.turns.count, streams: parts.streams.count }, 'draining')
    },
    settle: (graceMs) =>
      parts.schedules
        .stop()
        .then(() => parts.engine.stop(graceMs))
        .catch((error: unknown) => log.error({ err: error }, 'the engine did not stop well')),
    async endConnections() {
      await Promise.all([...doors.map((door) => door.end()), listeners.end()])
    },
    finish: () => kept.disposeAsync(),
  })
  lastResort?.drainWith((graceMs) => drain.stop(graceMs))
  const link = await signInLink(LOCAL_USER)
  const agents = parts.agents.list().map((agent) => agent.name)
  const isOpen = listen !== undefined && url !== undefined && !isLoopback(listen.host)
  return {
    ...(isOpen && { openAddresses: findOpenAddresses(url, listen.host) }),
    ...(localKey && { localKey: localKey.plain }),
    localKeyFile: keyFile,
    ...(config.path !== undefined && { configFile: config.path }),
    firstStart: localKey?.isNew === true,
    routes: listeners.routes,
    agents,
    defaultAgent: parts.agents.defaultName,
    modelNote: parts.modelNote,
    keyNotes: parts.keyless.map(({ sentence }) => sentence),
    confinementNote: describeConfinement(parts.confinement),
    stop: (graceMs) => drain.stop(graceMs),
    stopped: drain.stopped,
    openPipe: (door, handshake) => openPipe(doors, door, handshake),
    isBusy: () => doors.some(({ pipe }) => pipe?.isBusy() === true),
    ...(url !== undefined && { url }),
    ...(node && { node }),
    ...(link !== undefined && { signInUrl: link.url }),
  }
}

/** Somebody may be asked, or a program waited for: a signal must not wait for that. */
async function unlessAborted(work: Promise<void> | undefined, signal: AbortSignal | undefined): Promise<void> {
  const aborted = Promise.withResolvers<never>()
  const abort = (): void => aborted.reject(signal?.reason)
  signal?.addEventListener('abort', abort, { once: true })
  if (signal?.aborted === true) abort()
  try {
    await Promise.race([work, aborted.promise])
  } finally {
    signal?.removeEventListener('abort', abort)
  }
}

/** They arrive in a header line, so they must survive one. */
function checkKeys(keys: readonly string[]): readonly string[] {
  if (keys.every((key) => /^[!-~]{1,512}$/.test(key))) return keys
  throw new ServeError('--key wants up to 512 printable characters without spaces.', EXIT_CONFIG)
}
