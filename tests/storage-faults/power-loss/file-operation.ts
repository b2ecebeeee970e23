/** What a program did to the files below one directory, and what it said, in order. Names are relative to it. */
export type FileOperation =
  | { readonly type: 'create'; readonly name: string }
  | { readonly type: 'write'; readonly name: string; readonly offset: number; readonly bytes: Buffer }
  | { readonly type: 'truncate'; readonly name: string; readonly size: number }
  | { readonly type: 'sync'; readonly name: string }
  /** Of the directory: its entries. */
  | { readonly type: 'sync-directory' }
  | { readonly type: 'unlink'; readonly name: string }
  | { readonly type: 'link'; readonly from: string; readonly name: string }
  | { readonly type: 'rename'; readonly from: string; readonly name: string }
  | { readonly type: 'say'; readonly line: string }
