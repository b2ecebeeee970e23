import type { Spot } from './at-spot.ts'
import { readShown, type EditorFiles } from './editor-files.ts'
import { ABSENT, digestOf, LARGEST_KEPT, readBefore } from './file-trace.ts'
import { putInPlace, removeFile } from './put-file.ts'
import { toCrLf } from './replace-text.ts'
import { decodeText, encodeText, toFileText } from './text-file.ts'

export interface Restoration {
  /** SHA-256 of what the file must be now. */
  readonly from: string
  /** What it was. Absent: it did not exist. */
  readonly to?: Uint8Array
  /** What it was even before: SHA-256, or `ABSENT`. A file in one of these states needs no restoring. */
  readonly past: ReadonlySet<string>
}

/** `already`: it is as it was. `changed`: it is neither, because somebody else has changed it. */
export type Restored = 'restored' | 'already' | 'changed'

/** Restores the text in the editor if the editor has the file, otherwise the bytes on the disk. */
export async function restoreFile(spot: Spot, wish: Restoration, editor: EditorFiles): Promise<Restored> {
  if (spot.kind === 'directory') return 'changed'
  const shown = await readShown(spot, editor, LARGEST_KEPT)
  const inEditor = shown === undefined ? undefined : await restoreText(spot, { ...wish, shown }, editor)
  return inEditor ?? restoreBytes(spot, wish)
}

type FileSpot = Exclude<Spot, { readonly kind: 'directory' }>

/** `undefined`: the disk decides. */
async function restoreText(
  { kind, path }: FileSpot,
  { from, to, past, shown }: Restoration & { readonly shown: string },
  editor: EditorFiles,
): Promise<Restored | undefined> {
  const digests = spellingsOf(shown).map(digestOf)
  if (digests.some((digest) => past.has(digest))) return 'already'
  if (!digests.includes(from)) return 'changed'
  if (to === undefined && kind === 'file') return undefined
  // An editor cannot be asked to remove a file. An unsaved file without text counts as missing.
  const text = to === undefined ? '' : textLike(shown, Buffer.from(to))
  return text !== undefined && (await editor.write(path, text)) ? 'restored' : undefined
}

/** Editors drop byte order marks and normalise line ends, which the recorded digests include. */
function spellingsOf(shown: string): readonly Buffer[] {
  const { text } = toFileText(shown)
  return [text, toCrLf(text)].flatMap((spelling) =>
    [false, true].map((hasByteOrderMark) => encodeText(spelling, { hasByteOrderMark })),
  )
}

/** With the line ends and the mark of the text that the editor shows. `undefined` if the bytes are not text. */
function textLike(shown: string, bytes: Buffer): string | undefined {
  const old = decodeText(bytes)
  if (old === undefined || old.isDamaged) return undefined
  const now = toFileText(shown)
  const text = old.usesCrLf && !now.usesCrLf ? old.text.replaceAll('\r\n', '\n') : old.text
  return encodeText(text, now).toString()
}

async function restoreBytes(spot: FileSpot, { from, to, past }: Restoration): Promise<Restored> {
  if (spot.kind === 'absent') return past.has(ABSENT) ? 'already' : 'changed'
  const now = await readBefore(spot)
  const digest = now && digestOf(now)
  if (digest !== undefined && past.has(digest)) return 'already'
  if (digest !== from) return 'changed'
  if (to === undefined) await removeFile(spot.directory, spot.name)
  else await putInPlace(spot, to, spot.stats)
  return 'restored'
}
