// What a process needs that carries an editor's frames to another one. It answers `initialize` before anything else is
// loaded, so nothing here imports a package that is not light itself.
export { writeHandshake, type AcpHandshake } from './handshake.ts'
export { createRelay, type BackEnd, type Relay, type RelayDeps } from './relay.ts'
