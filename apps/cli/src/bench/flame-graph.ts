import type { Call } from './cpu-profile.ts'

const ROW_PX = 18
/** A fraction of the page. Narrower frames are less than a pixel on most screens. */
const NARROWEST = 0.0005

/** Maps the place of a function to the owner of its code. The first match wins. */
const ROOMS: readonly (readonly [name: string, colour: string, fits: RegExp])[] = [
  ['engine', '#e8825a', /^packages\/engine\//],
  ['protocols', '#e5b567', /^packages\/protocols\//],
  ['stores', '#b4d273', /^packages\/stores\//],
  ['models and tools', '#9ac8c2', /^packages\//],
  ['apps', '#6c99bb', /^apps\//],
  ['Node', '#b9b9c6', /^node:/],
  ['V8, system calls and garbage collection', '#d6d6d6', /^$/],
  ['dependencies', '#c9a0dc', /./],
]

/**
 * A self-contained page with a frame for every function on every stack. The width of a frame is its share of the time,
 * and callers are above their callees. A click on a frame zooms in on it.
 */
export function writeFlameGraph(tree: Call, title: string): string {
  const frames: string[] = []
  let depth = 0
  const draw = (call: Call, left: number, row: number): void => {
    const width = call.totalMicros / tree.totalMicros
    if (!(width >= NARROWEST)) return
    depth = Math.max(depth, row + 1)
    frames.push(toFrame(call, { left, width, row }))
    let next = left
    for (const inner of call.calls) {
      draw(inner, next, row + 1)
      next += inner.totalMicros / tree.totalMicros
    }
  }
  draw(tree, 0, 0)
  return [
    '<!doctype html><html lang="en"><meta charset="utf-8">',
    `<title>${escape(title)}</title>`,
    `<style>${STYLE}</style>`,
    `<h1>${escape(title)}</h1><p>${legendOf(tree)}</p>`,
    `<main style="height:${depth * ROW_PX}px">${frames.join('\n')}</main>`,
    `<script>${SCRIPT}</script></html>`,
    '',
  ].join('\n')
}

function toFrame({ name, place, selfMicros, totalMicros }: Call, at: { left: number; width: number; row: number }) {
  const tip = `${name} ${place}\n${toMs(totalMicros)} ms, ${toPercent(at.width)} % with what it calls; ${toMs(selfMicros)} ms itself`
  const style = `left:${toPercent(at.left)}%;width:${toPercent(at.width)}%;top:${at.row * ROW_PX}px;background:${roomOf(place)[1]}`
  return `<i style="${style}" title="${escape(tip)}" data-l="${at.left.toFixed(6)}" data-w="${at.width.toFixed(6)}">${escape(name)}</i>`
}

/** Each room's share of the time in its own functions. */
function legendOf(tree: Call): string {
  const shares = new Map<string, number>()
  const add = (call: Call): void => {
    const [room] = roomOf(call.place)
    shares.set(room, (shares.get(room) ?? 0) + call.selfMicros / tree.totalMicros)
    call.calls.forEach(add)
  }
  add(tree)
  return ROOMS.map(
    ([name, colour]) => `<b style="background:${colour}">${name} ${((shares.get(name) ?? 0) * 100).toFixed(1)} %</b>`,
  ).join(' ')
}

function roomOf(place: string): (typeof ROOMS)[number] {
  const room = ROOMS.find(([, , fits]) => fits.test(place))
  if (room === undefined) throw new Error(`nobody owns ${place}`)
  return room
}

const toMs = (micros: number): string => (micros / 1000).toFixed(1)
const toPercent = (share: number): string => (share * 100).toFixed(3)

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '')
}

const STYLE =
  'body{font:13px system-ui,sans-serif;margin:12px}h1{font-size:16px}b{font-weight:400;padding:2px 6px;margin-right:4px}' +
  `main{position:relative}i{position:absolute;height:${ROW_PX - 1}px;line-height:${ROW_PX - 1}px;overflow:hidden;` +
  'white-space:nowrap;font-style:normal;font-size:11px;padding-left:2px;box-sizing:border-box;cursor:pointer;' +
  'border-right:1px solid #fff}i:hover{outline:1px solid #000}'

const SCRIPT = `
const frames = [...document.querySelectorAll('i')].map((frame) => [frame, +frame.dataset.l, +frame.dataset.w])
document.querySelector('main').onclick = ({ target }) => {
  const [, from, wide] = frames.find(([frame]) => frame === target) ?? [undefined, 0, 1]
  for (const [frame, left, width] of frames) {
    const start = Math.max(0, (left - from) / wide)
    const end = Math.min(1, (left + width - from) / wide)
    frame.hidden = end - start < 0.0005
    frame.style.left = start * 100 + '%'
    frame.style.width = (end - start) * 100 + '%'
  }
}`
