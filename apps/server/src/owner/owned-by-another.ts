import { ServeError } from '../serve-error.ts'

/** Another process owns the data directory. */
export class OwnedByAnother extends ServeError {}
