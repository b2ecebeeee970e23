import { GIT_ATTACKS, createGitWorld } from '/work/wt-sandbox/tests/bash/git-configurations.ts'
const world = createGitWorld()
let n = 0
const not: string[] = []
for (const a of GIT_ATTACKS) { const r = world.create(a); if (r.worksPlainly()) n++; else not.push(a.name); r.remove() }
world.remove()
console.log(GIT_ATTACKS.length, n, not)
