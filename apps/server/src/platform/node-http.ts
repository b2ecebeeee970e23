/**
 * The parts of `node:http` that the server uses. An `import` of the module reads all of its exports, and some of them load
 * undici: 40 ms and 14 MB.
 */
export const { Agent, ServerResponse, STATUS_CODES, createServer, request } = process.getBuiltinModule('node:http')
