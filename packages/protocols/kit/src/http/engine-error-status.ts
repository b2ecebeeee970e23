import type { EngineErrorCode, StorageFault } from '@polylogue/engine'

export type EngineErrorStatus = 400 | 404 | 409 | 429 | 503 | 507

/** The HTTP status of every refusal of the engine. A door with other rules changes single ones. */
export const ENGINE_ERROR_STATUS: Readonly<Record<EngineErrorCode, EngineErrorStatus>> = {
  'session-not-found': 404,
  'agent-not-found': 400,
  'unknown-tool-call': 400,
  'call-not-approvable': 400,
  'unknown-tool': 400,
  'tool-name-clash': 400,
  'invalid-option': 400,
  'unknown-model': 400,
  'invalid-seed': 400,
  'invalid-input': 400,
  'session-busy': 409,
  'nothing-to-compact': 409,
  'queue-full': 409,
  'call-already-settled': 409,
  'receipt-mismatch': 409,
  'too-many-turns': 429,
  'too-many-reads': 429,
  'quota-exceeded': 507,
  'storage-full': 507,
  'shutting-down': 503,
  'storage-busy': 503,
  'storage-unavailable': 503,
}

const RETRY_AFTER_S: { readonly [code in EngineErrorCode]?: number } = {
  'too-many-turns': 5,
  'too-many-reads': 5,
  'storage-busy': 2,
  'storage-unavailable': 10,
  'shutting-down': 2,
}

/** Seconds for a `Retry-After` header; `undefined` where waiting does not help. */
export const retryAfterOf = (code: EngineErrorCode): number | undefined => RETRY_AFTER_S[code]

const FAULT_CODES: Readonly<Record<StorageFault['kind'], EngineErrorCode>> = {
  full: 'storage-full',
  busy: 'storage-busy',
  broken: 'storage-unavailable',
}

export const codeOfFault = ({ kind }: StorageFault): EngineErrorCode => FAULT_CODES[kind]
