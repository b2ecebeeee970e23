import type { EvalTask } from '../eval-task.ts'
import { EDITING } from './editing.ts'
import { FIRST_STEPS } from './first-steps.ts'
import { GUIDANCE } from './guidance.ts'
import { RUNNING } from './running.ts'
import { SEARCHING } from './searching.ts'

export const EVAL_TASKS: readonly EvalTask[] = [...FIRST_STEPS, ...EDITING, ...SEARCHING, ...RUNNING, ...GUIDANCE]
