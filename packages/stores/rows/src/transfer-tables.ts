/**
 * The tables that move between stores, in the order in which they move, with their columns. The columns are those of
 * the log of a session, so `user_id` is the owner of the session. Data that a store can derive is not listed: search
 * indexes, sums, sizes. Leases, one-time codes and subscriptions of connections do not outlive a server, so they stay
 * behind.
 */
export type ColumnType = 'text' | 'integer' | 'bytes'

export const TRANSFER_TABLES = {
  sessions: {
    session_id: 'text',
    user_id: 'text',
    last_seq: 'integer',
    summary: 'text',
    summary_crc: 'integer',
    wanted_since: 'integer',
    epoch: 'integer',
    stored_bytes: 'integer',
  },
  events: {
    session_id: 'text',
    user_id: 'text',
    seq: 'integer',
    at: 'integer',
    type: 'text',
    version: 'integer',
    data: 'text',
    crc: 'integer',
  },
  snapshots: { session_id: 'text', user_id: 'text', seq: 'integer', state: 'text', crc: 'integer' },
  drafts: {
    session_id: 'text',
    user_id: 'text',
    step_id: 'text',
    block: 'integer',
    kind: 'text',
    text: 'text',
    reserved_batches: 'integer',
  },
  receipts: {
    session_id: 'text',
    user_id: 'text',
    by_user: 'text',
    key: 'text',
    fingerprint: 'text',
    turn_id: 'text',
    seq: 'integer',
  },
  names: { session_id: 'text', user_id: 'text', name: 'text' },
  blobs: {
    session_id: 'text',
    user_id: 'text',
    hash: 'text',
    media_type: 'text',
    bytes: 'bytes',
    crc: 'integer',
  },
  secrets: { session_id: 'text', user_id: 'text', name: 'text', sealed: 'bytes' },
  // The title is folded: lists only search it.
  listings: {
    session_id: 'text',
    user_id: 'text',
    listed_at: 'integer',
    is_pinned: 'integer',
    is_started: 'integer',
    directory: 'text',
    title: 'text',
  },
  deleted_sessions: { session_id: 'text' },
  usage: {
    session_id: 'text',
    call_id: 'text',
    at: 'integer',
    kind: 'text',
    user_id: 'text',
    key_id: 'text',
    turn_id: 'text',
    loops: 'text',
    agent: 'text',
    model: 'text',
    is_told: 'integer',
    input_tokens: 'integer',
    output_tokens: 'integer',
    cached_input_tokens: 'integer',
    cache_write_tokens: 'integer',
    reasoning_tokens: 'integer',
    nano: 'integer',
    currency: 'text',
  },
  users: { user_id: 'text', role: 'text', created_at: 'integer', crc: 'integer' },
  keys: {
    id: 'text',
    user_id: 'text',
    kind: 'text',
    name: 'text',
    hash: 'text',
    prefix: 'text',
    last_four: 'text',
    created_at: 'integer',
    expires_at: 'integer',
    last_used_at: 'integer',
    revoked_at: 'integer',
    crc: 'integer',
  },
  rules: {
    rule_id: 'text',
    user_id: 'text',
    place: 'integer',
    created_at: 'integer',
    rule: 'text',
    crc: 'integer',
  },
  memories: {
    memory_id: 'integer',
    user_id: 'text',
    type: 'text',
    content: 'text',
    skill_name: 'text',
    record_type: 'text',
    scope: 'text',
    owner: 'text',
    topic: 'text',
    external_id: 'text',
    superseded_by: 'integer',
    write_reason: 'text',
    created_at: 'integer',
    updated_at: 'integer',
    hit_count: 'integer',
    last_hit_at: 'integer',
    is_disabled: 'integer',
    source_session: 'text',
    origin: 'text',
    source_tool: 'text',
    word_count: 'integer',
    crc: 'integer',
  },
  schedules: {
    schedule_id: 'text',
    user_id: 'text',
    title: 'text',
    prompt: 'text',
    cron: 'text',
    timezone: 'text',
    is_enabled: 'integer',
    expires_at: 'integer',
    is_unattended: 'integer',
    model: 'text',
    agent: 'text',
    source_session: 'text',
    created_at: 'integer',
    decided_until: 'integer',
    next_slot_at: 'integer',
    zone_rules: 'text',
    revision: 'integer',
    crc: 'integer',
  },
  schedule_slots: {
    schedule_id: 'text',
    user_id: 'text',
    slot_at: 'integer',
    decided_at: 'integer',
    outcome: 'text',
    run_id: 'text',
    session_id: 'text',
    status: 'text',
    error: 'text',
    finished_at: 'integer',
    crc: 'integer',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, ColumnType>>>>

export type TransferTable = keyof typeof TRANSFER_TABLES

// Contract: the keys of a literal keep their order.
export const transferTables = Object.keys(TRANSFER_TABLES) as readonly TransferTable[]

export function isTransferTable(table: string): table is TransferTable {
  return Object.hasOwn(TRANSFER_TABLES, table)
}

export function transferColumns(table: TransferTable): readonly (readonly [string, ColumnType])[] {
  return Object.entries(TRANSFER_TABLES[table])
}
