// The server is killed after each event of an answer.
import { expect, it } from 'vitest'
import { converseThroughRestart } from './converse-through-restart.ts'

it('both clients end with what the server has, killed after each event', async () => {
  const whole = await converseThroughRestart(Infinity)
  for (let killAfter = 1; killAfter < whole.events.length; killAfter += 1) {
    const { events, stopReason, aap, blade } = await converseThroughRestart(killAfter)
    process.stdout.write(`killed after event ${killAfter}: ${events.join(' ')}\n`)
    expect(stopReason).toBe('end_turn')
    expect(events.filter((event) => event === 'turn_stop')).toHaveLength(1)
    expect(aap.local).toEqual(aap.server)
    expect(blade.local).toEqual(blade.server)
  }
})
