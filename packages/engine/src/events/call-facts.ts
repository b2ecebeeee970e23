import { z } from 'zod'
import type { Stored } from '../stored-schema.ts'

const touchedPaths = {
  /** A path that is not below a root, not an ordinary file, or the server's own. Such a call is always denied. */
  outside: z.string().optional(),
  /** Protected paths without links: the configuration, credentials, files that shells and Git run. */
  guarded: z.array(z.string()).optional(),
}

const shellFacts = z.object({
  type: z.literal('shell'),
  /**
   * `safe`: a single command from the safe list. `sensitive`: it names a protected path, or deletes a tree of the
   * workspace.
   */
  risk: z.enum(['safe', 'other', 'sensitive', 'dangerous']),
  /** What makes the command dangerous, in words that follow `it`. */
  danger: z.string().optional(),
  /** Why no mode and no rule allows the command, in a few words. */
  hardline: z.string().optional(),
  /** The parser understood every part of the command. */
  isUnderstood: z.boolean(),
  /** The command runs another command that it is given (`env`, `sh -c`, `xargs`, `sudo`, …). */
  hasWrapper: z.boolean(),
  /** Digest of the exact command. */
  fingerprint: z.string().optional(),
  /** The program and its verb, such as `npm test`, if the command is nothing else. */
  program: z.string().optional(),
  /** The command loses work or reaches other people. Only an approval of exactly this command covers it. */
  isDestructive: z.boolean().optional(),
  /** The parser limit that the command exceeds. */
  exceeds: z.string().optional(),
  /** The command needs the network. Whom it is known to talk to, in words for people. */
  network: z.array(z.string()).optional(),
  /** Folders outside of the workspace that the command writes to. */
  writes: z.array(z.string()).optional(),
  ...touchedPaths,
})

const fetchFacts = z.object({
  type: z.literal('fetch'),
  /** In lower case, without port. Absent when the URL cannot be parsed. */
  host: z.string().optional(),
  /** The host is an address that is private, loopback, link-local or otherwise outside the public network. */
  isPrivateAddress: z.boolean(),
  /** The URL can carry data to the host: it has a query, a long path, or another URL in it. */
  carriesData: z.boolean().optional(),
})

/** Everything that the judge needs to know about a call, independent of its tool. */
const callFacts = z.discriminatedUnion('type', [
  /** Judged by the tool's `effect`: custom and MCP tools. */
  z.object({ type: z.literal('plain') }),
  z.object({ type: z.literal('read-files'), ...touchedPaths }),
  z.object({ type: z.literal('write-files'), ...touchedPaths }),
  shellFacts,
  fetchFacts,
  /** Keeps something for the session or its user: a plan of steps, a memory. */
  z.object({
    type: z.literal('notes'),
    /** The text that outlives the session. Set by the tool; the engine determines where the text came from. */
    kept: z.string().optional(),
    /** The text came from the result of a tool, not from the user's words. The engine sets this. */
    isFromTool: z.boolean().optional(),
    /** The tool whose result it was, if the result is known. */
    sourceTool: z.string().optional(),
  }),
  z.object({ type: z.literal('skill') }),
  /** Asks the user. */
  z.object({ type: z.literal('question') }),
  /** Starts a sub-agent, whose own calls are judged one by one. */
  z.object({ type: z.literal('agent') }),
])

const fileLocation = z.object({
  /** Absolute. */
  path: z.string(),
  /** Starts at 1. */
  line: z.number().optional(),
})

/** `oldText` is absent for a new file. */
const fileDiff = z.object({ path: z.string(), oldText: z.string().optional(), newText: z.string() })

/** How a call is shown before, while and after it runs. */
const callPreview = z.object({
  /** For people: `Edit src/a.ts`. */
  title: z.string().optional(),
  locations: z.array(fileLocation).optional(),
  diffs: z.array(fileDiff).optional(),
})

/** What a tool says about one call before it runs. It is recorded with the call, so texts should be short. */
export const callInspection = z.object({
  facts: callFacts,
  preview: callPreview.optional(),
  /** A digest of what the shown change starts from. An approval holds only as long as it is the same. */
  before: z.string().optional(),
})

export type ShellFacts = Stored<typeof shellFacts>
export type FetchFacts = Stored<typeof fetchFacts>
export type CallFacts = Stored<typeof callFacts>
export type FileFacts = Extract<CallFacts, { readonly type: 'read-files' | 'write-files' }>
export type FileLocation = Stored<typeof fileLocation>
export type FileDiff = Stored<typeof fileDiff>
export type CallPreview = Stored<typeof callPreview>
export type CallInspection = Stored<typeof callInspection>
