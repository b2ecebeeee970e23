import type { ToolSpec } from './aap-wire.ts'

/** The paths of the two protocol versions, relative to `base`. */
export interface Dialect {
  readonly name: 'v3' | 'v1'
  /** Suffix of a rule number in test names. */
  readonly mark: '' | ' (v1)'
  readonly version: number
  readonly base: string
  readonly create: { readonly method: 'POST' | 'PUT'; readonly path: string }
  session(id: string): string
  turns(id: string): string
  history(id: string, type: string): string
  tool(name: string, description: string, schema: Readonly<Record<string, unknown>>): ToolSpec
}

export const V3: Dialect = {
  name: 'v3',
  mark: '',
  version: 3,
  base: '/aap/v3',
  create: { method: 'POST', path: '/sessions' },
  session: (id) => `/sessions/${id}`,
  turns: (id) => `/sessions/${id}/turns`,
  history: (id, type) => `/sessions/${id}/history?type=${type}`,
  tool: (name, description, parameters) => ({ name, description, parameters }),
}

export const V1: Dialect = {
  name: 'v1',
  mark: ' (v1)',
  version: 1,
  base: '/aap/v1',
  create: { method: 'PUT', path: '/session' },
  session: (id) => `/session/${id}`,
  turns: (id) => `/session/${id}`,
  history: (id, type) => `/session/${id}?history=${type}`,
  tool: (name, description, inputSchema) => ({ name, description, inputSchema }),
}

export const DIALECTS = [V3, V1] as const
