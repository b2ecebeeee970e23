// Imported first: schemas decide when they are made whether they compile themselves, which our policy forbids.
import { config } from 'zod'

config({ jitless: true })
