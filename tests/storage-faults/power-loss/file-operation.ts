/** The file operations of a program in one directory, and its output, in order. Names are relative to the directory. */
export type FileOperation =
  | { readonly type: 'create'; readonly name: string }
  | { readonly type: 'write'; readonly name: string; readonly offset: number; readonly bytes: Buffer }
  | { readonly type: 'truncate'; readonly name: string; readonly size: number }
  | { readonly type: 'sync'; readonly name: string }
  /** Syncs the entries of the directory. */
  | { readonly type: 'sync-directory' }
  | { readonly type: 'unlink'; readonly name: string }
  | { readonly type: 'link'; readonly from: string; readonly name: string }
  | { readonly type: 'rename'; readonly from: string; readonly name: string }
  | { readonly type: 'say'; readonly line: string }
