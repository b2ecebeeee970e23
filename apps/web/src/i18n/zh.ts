import type { Words } from './en.ts'
import { en } from './en.ts'
export const zh: Words = { ...en }
