import type { Progress, StageState } from './read-progress.ts'
import { FILE, STAGES } from './stage.ts'
import type { WorkTexts } from './work-texts.ts'

/** What was done and what was not, where the file is, who was asked and why. */
export function tellEnd({ states, directory }: Progress, { plan, end }: WorkTexts): string {
  const lines = STAGES.map((stage) => `- ${plan[stage]}: ${end.marks[markOf(states.get(stage))]}`)
  const write = states.get('write')
  const isThere = write === 'done' || write === 'unknown'
  return [
    `${end.head}\n\n${lines.join('\n')}`,
    isThere ? end.file(FILE, directory) : end.noFile,
    end.asked,
    end.planning,
    end.again,
  ].join('\n\n')
}

function markOf(state: StageState | undefined): keyof WorkTexts['end']['marks'] {
  return state === undefined || state === 'open' || state === 'missing' || state === 'left' ? 'left' : state
}
