/**
 * Named points at which a test can kill, stop or delay the process. Without an observer a point costs one comparison.
 * Every append, spawn, acknowledgement, publish, claim and migration has one; `tests/` checks that the list is
 * complete.
 */
export type FailpointObserver = (name: string) => void | Promise<void>

let observer: FailpointObserver | undefined

export function observeFailpoints(next: FailpointObserver | undefined): void {
  observer = next
}

export function failpoint(name: string): void | Promise<void> {
  if (observer !== undefined) return observer(name)
}
