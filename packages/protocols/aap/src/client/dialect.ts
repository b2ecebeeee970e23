import type { AapVersion, HistoryType, WireHistory, WireSession, WireToolSpec } from '../wire.ts'

/** Where the two versions of the protocol differ for a client. */
export interface Dialect {
  readonly version: AapVersion
  readonly sessions: string
  session(sessionId: string): string
  turns(sessionId: string): string
  history(sessionId: string, type: HistoryType): string
  /** Sessions are made by a request of their own; in version 1 the first turn makes them. */
  readonly createsWithoutTurn: boolean
  toTool(tool: WireToolSpec): WireToolSpec
  /** The sessions in one page of a list. */
  readPage(page: { readonly sessions?: readonly unknown[] }): readonly Pick<WireSession, 'sessionId'>[]
  readHistory(answer: { readonly history?: WireHistory }, type: HistoryType): WireHistory[HistoryType]
}

const escape = encodeURIComponent

const schemaOf = (tool: WireToolSpec) => ('parameters' in tool ? tool.parameters : tool.inputSchema)

function plain({ name, title, description }: WireToolSpec) {
  return { name, ...(title !== undefined && { title }), description }
}

const V3: Dialect = {
  version: 3,
  sessions: '/sessions',
  session: (id) => `/sessions/${escape(id)}`,
  turns: (id) => `/sessions/${escape(id)}/turns`,
  history: (id, type) => `/sessions/${escape(id)}/history?type=${type}`,
  createsWithoutTurn: true,
  toTool: (tool) => ({ ...plain(tool), parameters: schemaOf(tool) }),
  readPage: ({ sessions = [] }) => sessions.filter((session) => isSession(session)),
  readHistory: ({ history }, type) => history?.[type],
}

const V1: Dialect = {
  version: 1,
  sessions: '/sessions',
  session: (id) => `/session/${escape(id)}`,
  turns: (id) => `/session/${escape(id)}`,
  history: (id, type) => `/session/${escape(id)}?history=${type}`,
  createsWithoutTurn: false,
  toTool: (tool) => ({ ...plain(tool), inputSchema: schemaOf(tool) }),
  readPage: ({ sessions = [] }) => sessions.filter((id) => typeof id === 'string').map((sessionId) => ({ sessionId })),
  readHistory: ({ history }, type) => history?.[type],
}

export const dialectOf = (version: AapVersion): Dialect => (version === 3 ? V3 : V1)

function isSession(value: unknown): value is WireSession {
  return typeof value === 'object' && value !== null && 'sessionId' in value && typeof value.sessionId === 'string'
}
