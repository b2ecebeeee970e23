// The main functions of every door. The entries `/aap`, `/blade` and `/console` also export each door's types.
export { AapError, AapSession, TurnCutOff, createAapClient, defineClientTool } from '@polylogue/aap/client'
export { BladeRefusal, BladeSession, SessionFold, createBladeApi } from '@polylogue/blade/client'
export { ConsoleRefusal, createConsoleClient, createFetchTransport } from '@polylogue/console/client'
export { createBlade } from './blade/create-blade.ts'
