import { createRequire } from 'node:module'

/**
 * Checks the frames of one connection against the official schemas of the protocol, version 1: the stable one, and the
 * unstable one, which has more methods and fields.
 */
export interface AcpFrameChecker {
  /** Records a frame that a client sent. The response is checked against the requested method. */
  sent(frame: unknown): void
  /** Returns the problem with a frame that an agent wrote; `undefined` if it is valid. */
  received(frame: unknown): string | undefined
}

const RESPONSES: Readonly<Record<string, string>> = {
  initialize: 'InitializeResponse',
  authenticate: 'AuthenticateResponse',
  'session/new': 'NewSessionResponse',
  'session/fork': 'ForkSessionResponse',
  'session/set_title': 'SetSessionTitleResponse',
  'session/load': 'LoadSessionResponse',
  'session/resume': 'ResumeSessionResponse',
  'session/list': 'ListSessionsResponse',
  'session/close': 'CloseSessionResponse',
  'session/delete': 'DeleteSessionResponse',
  'session/prompt': 'PromptResponse',
  'session/set_mode': 'SetSessionModeResponse',
  'session/set_config_option': 'SetSessionConfigOptionResponse',
}
const REQUESTS: Readonly<Record<string, string>> = {
  'session/request_permission': 'RequestPermissionRequest',
  'elicitation/create': 'CreateElicitationRequest',
  'fs/read_text_file': 'ReadTextFileRequest',
  'fs/write_text_file': 'WriteTextFileRequest',
  'terminal/create': 'CreateTerminalRequest',
  'terminal/output': 'TerminalOutputRequest',
  'terminal/wait_for_exit': 'WaitForTerminalExitRequest',
  'terminal/kill': 'KillTerminalRequest',
  'terminal/release': 'ReleaseTerminalRequest',
}
const NOTIFICATIONS: Readonly<Record<string, string>> = {
  'session/update': 'SessionNotification',
  '$/cancel_request': 'CancelRequestNotification',
}

type Fields = Readonly<Record<string, unknown>>
type Definitions = Readonly<Record<string, Fields>>

/** Loads the schema on demand, because most tests do not need it. */
export async function loadAcpFrameChecker(): Promise<AcpFrameChecker> {
  loading ??= loadSchema()
  const { problemIn, updateKeys } = await loading
  const asked = new Map<unknown, string>()

  const foreignKey = (update: Fields): string | undefined => {
    const known = updateKeys.get(String(update['sessionUpdate'])) ?? new Set()
    const other = Object.keys(update).find((key) => !known.has(key))
    return other === undefined ? undefined : `${String(update['sessionUpdate'])} has no ${other}`
  }

  return {
    sent(frame) {
      if (isFields(frame) && frame['id'] !== undefined) asked.set(frame['id'], String(frame['method']))
    },
    received(frame) {
      if (!isFields(frame) || frame['jsonrpc'] !== '2.0') return 'not a JSON-RPC 2.0 object'
      const { id, method, params, result, error } = frame
      if (typeof method === 'string') {
        const name = id === undefined ? NOTIFICATIONS[method] : REQUESTS[method]
        if (name === undefined) return method.startsWith('_') && isFields(params) ? undefined : `unknown: ${method}`
        const problem = problemIn(name, params)
        if (problem !== undefined || method !== 'session/update' || !isFields(params)) return problem
        return isFields(params['update']) ? foreignKey(params['update']) : 'an update is missing'
      }
      if (error !== undefined) return problemIn('Error', error)
      const name = RESPONSES[asked.get(id) ?? '']
      return name === undefined ? (isFields(result) ? undefined : 'a result is an object') : problemIn(name, result)
    },
  }
}

let loading: ReturnType<typeof loadSchema> | undefined

async function loadSchema() {
  const { Ajv2020 } = await import('ajv/dist/2020.js')
  const load = createRequire(import.meta.url)
  const schemas = ['schema', 'schema.unstable'].map((name): { readonly $defs: Definitions } =>
    load(`@agentclientprotocol/sdk/schema/v1/${name}.json`),
  )
  const checks = schemas.map((schema) => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema(schema, 'acp')
    return (name: string, value: unknown): string | undefined => {
      if (schema.$defs[name] === undefined) return undefined
      const validate = ajv.getSchema(`acp#/$defs/${name}`)
      return validate?.(value) === true ? undefined : `${name}: ${ajv.errorsText(validate?.errors)}`
    }
  })
  const problemIn = (name: string, value: unknown): string | undefined => {
    if (schemas.every(({ $defs }) => $defs[name] === undefined)) return `the schema has no ${name}`
    return checks.map((check) => check(name, value)).find((problem) => problem !== undefined)
  }
  return { problemIn, updateKeys: readUpdateKeys(schemas[0]?.$defs ?? {}) }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The keys that the schema names for each kind of update. The schema itself does not forbid others. */
function readUpdateKeys(definitions: Definitions): ReadonlyMap<string, ReadonlySet<string>> {
  const variants = definitions['SessionUpdate']?.['oneOf'] as readonly {
    readonly properties: { readonly sessionUpdate: { readonly const: string } }
    readonly allOf: readonly { readonly $ref: string }[]
  }[]
  return new Map(
    variants.map(({ properties, allOf }) => {
      const names = allOf.map(({ $ref }) => $ref.slice('#/$defs/'.length))
      const keys = names.flatMap((name) => Object.keys((definitions[name]?.['properties'] ?? {}) as Fields))
      return [properties.sessionUpdate.const, new Set(['sessionUpdate', ...keys])] as const
    }),
  )
}
