export type TransferValue = string | number | Uint8Array | null

/** A row as it moves from one store to another. Texts and bytes are those that were stored, so logs stay equal. */
export interface TransferRow {
  readonly table: string
  readonly values: Readonly<Record<string, TransferValue>>
}
