import type { TurnUpdate } from '@polylogue/aap/client'
import { ConsoleRefusal } from '@polylogue/console/client'
import type { Owner } from '../with-owner.ts'
import type { ChatPrinter } from './chat-printer.ts'

/** Asks for the whole lines that an edit changes, before its result is printed. The stream has only the model's input. */
export async function learnDiffs(
  update: TurnUpdate | undefined,
  { owner, sessionId, printer }: { readonly owner: Owner; readonly sessionId: string; readonly printer: ChatPrinter },
): Promise<void> {
  if (update?.type !== 'tool-result' || !printer.lacksLines(update.toolCallId)) return
  try {
    const { diffs } = await owner.console.readCall({ id: sessionId, call: update.toolCallId })
    printer.addDiffs(update.toolCallId, diffs)
  } catch (error) {
    // An imported session has no record of the call. Its input is shown instead.
    if (!(error instanceof ConsoleRefusal)) throw error
  }
}
