// The limits of one server.

/** The maximum size of one message, in bytes. */
export const LARGEST_MESSAGE = 16 * 1024 * 1024
export const DEEPEST_MESSAGE = 64
/** The maximum number of values and of keys in one message. Parsing that many takes a fraction of a second. */
export const MOST_VALUES = 500_000
export const MOST_KEYS = 50_000
/** The maximum number of bytes that a server has not read yet. */
export const MOST_UNSENT = 16 * 1024 * 1024
/** The maximum number of notifications, requests and invalid lines in one window. A large one counts once per part. */
export const MOST_UNASKED = 5000
export const COUNTED_PART = 16 * 1024
export const FLOOD_WINDOW_MS = 5000
/** From the start of the program, or of the first request, to the list of tools. */
export const CONNECT_MS = 20_000
/** We enforce time limits ourselves. The SDK's own limit only has to be later. */
export const NO_TIMEOUT = 2_147_483_647
/** The maximum number of tools of one server. The rest is left out. */
export const MOST_TOOLS = 256
/** The maximum number of prompts of one server. */
export const MOST_PROMPTS = 64
export const MOST_PAGES = 64
/** The maximum size of a tool's schema as JSON. */
export const LARGEST_SCHEMA = 64 * 1024
export const DEEPEST_SCHEMA = 32
export const LONGEST_DESCRIPTION = 8192
/** The maximum length of one result, in characters. The rest is cut off. */
export const LONGEST_TEXT = 256 * 1024
export const LARGEST_IMAGE = 5 * 1024 * 1024
export const MOST_IMAGES = 8
/** How many entries of one list are read. */
export const MOST_LISTED = 1024
/** How many left-out tools of one list are reported. */
export const MOST_PROBLEMS = 20
/** The shortest pause before the list of tools is read again. It grows if the list keeps changing. */
export const REFRESH_EVERY_MS = 250
export const REFRESH_LATEST_MS = 30_000
