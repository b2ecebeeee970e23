/** What can be wrong with a server that is made to be found out. */
export const FAULTS = [
  'none',
  'exits',
  'throws',
  'rejects',
  'answers 500',
  'cannot now',
  'never answers',
  'answers twice',
  'is held up',
  'pollutes',
  'forges an event',
  'forges a header',
  'tells its stack',
  'quotes everything',
  'keeps what it cannot read',
  'warns',
  'grumbles',
  'grows',
] as const
export type Fault = (typeof FAULTS)[number]
