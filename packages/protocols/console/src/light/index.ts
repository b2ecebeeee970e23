// What the server needs before the first request to this protocol comes.
export { BASE_PATH } from './base-path.ts'
