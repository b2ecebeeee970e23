/** `starting` until the engine has taken over what a dead process left, `draining` from the call of stop. */
export type Phase = 'starting' | 'ready' | 'draining'
