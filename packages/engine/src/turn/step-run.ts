import type { Usage } from '../content.ts'
import type { Failure } from '../events/recorded-event.ts'
import type { StepFinish } from '../events/step-events.ts'
import type { LiveStep } from '../session/session-feed.ts'
import type { DraftWriter } from './draft-writer.ts'
import type { ExchangeRecorder } from './model-exchange.ts'
import type { TurnRound } from './loop-place.ts'

/** One model call while it runs. */
export interface StepRun {
  readonly round: TurnRound
  readonly step: LiveStep
  readonly drafts: DraftWriter
  readonly exchange: ExchangeRecorder
}

export type StepEnd =
  | { readonly type: 'answered'; readonly finish: StepFinish; readonly usage: Usage }
  | { readonly type: 'failed'; readonly error: Failure; readonly usage?: Usage }
  | { readonly type: 'stopped' }
