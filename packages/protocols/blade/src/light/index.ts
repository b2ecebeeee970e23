// What the server needs before the first client of Blade comes.
export { SOCKET_PATH, nodeOfConnection } from './connection.ts'
