/** Loaded with `--import` before a server: its clock is so many milliseconds off. */
const offMs = Number(process.env['CLOCK_OFF_MS'])
const { now } = Date
const shifted = (): number => now.call(Date) + offMs

globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [shifted()] : args, newTarget),
  get: (target, name, receiver) => (name === 'now' ? shifted : Reflect.get(target, name, receiver)),
})
