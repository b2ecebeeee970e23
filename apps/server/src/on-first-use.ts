/** Something that is made when it is first needed. */
export interface OnFirstUse<Value> {
  /** `undefined` until it is made. */
  readonly made: Value | undefined
  /** Makes it once. A failed attempt is repeated by the next call. */
  make(): Promise<Value>
}

export function onFirstUse<Value>(make: () => Promise<Value>): OnFirstUse<Value> {
  let making: Promise<Value> | undefined
  let made: Value | undefined
  return {
    get made() {
      return made
    },
    make() {
      making ??= make().then(
        (value) => (made = value),
        (error: unknown) => {
          making = undefined
          throw error
        },
      )
      return making
    },
  }
}
