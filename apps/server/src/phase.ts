/** `starting` until the engine has taken over the turns of a dead process, `draining` once `stop` is called. */
export type Phase = 'starting' | 'ready' | 'draining'
