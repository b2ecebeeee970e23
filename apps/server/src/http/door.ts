import type { HttpApp } from './request-listener.ts'

/** A protocol's routes and where they are mounted. */
export interface Door {
  readonly path: string
  readonly app: HttpApp
}
