// What one server may cost everybody else.

/** Of one message, in bytes. */
export const LARGEST_MESSAGE = 16 * 1024 * 1024
export const DEEPEST_MESSAGE = 64
/** Bytes that a server has not read yet. */
export const MOST_UNSENT = 16 * 1024 * 1024
/** Notifications, requests and lines that are no messages, within one window. */
export const MOST_UNASKED = 5000
export const FLOOD_WINDOW_MS = 5000
/** From the start of the program, or of the first request, to the list of tools. */
export const CONNECT_MS = 20_000
/** Time limits are ours, by the clock; the SDK's own only has to be later. */
export const NO_TIMEOUT = 2_147_483_647
/** Of one server; the rest is left out. */
export const MOST_TOOLS = 256
export const MOST_PAGES = 64
/** Of a tool's schema, as JSON. */
export const LARGEST_SCHEMA = 64 * 1024
export const DEEPEST_SCHEMA = 32
export const LONGEST_DESCRIPTION = 8192
/** Of one result, in characters; the rest is cut off. */
export const LONGEST_TEXT = 256 * 1024
export const LARGEST_IMAGE = 5 * 1024 * 1024
export const MOST_IMAGES = 8
/** Of one list, what is looked at at all. */
export const MOST_LISTED = 1024
/** Of one list, what is told of tools that are left out. */
export const MOST_PROBLEMS = 20
/** The list of tools is read again after this at the earliest, and later and later if it changes all the time. */
export const REFRESH_EVERY_MS = 250
export const REFRESH_LATEST_MS = 30_000
