import type { Mutant } from './mutant.ts'

const STORE = 'packages/stores/sqlite/src'

export const STORE_MUTANTS: readonly Mutant[] = [
  {
    name: 'a write is acknowledged before its commit',
    edits: [
      {
        file: `${STORE}/group-commit.ts`,
        find: 'beginTransaction()\n      if (!runTogether(group, passengers)) {',
        replacement:
          'if (db.isTransaction) commit.run()\n      beginTransaction()\n      if (!runTogether(group, passengers)) {',
      },
      {
        file: `${STORE}/group-commit.ts`,
        find: 'commit.run()\n    } catch (error) {\n      rollBack()\n      return fail(',
        replacement:
          'setTimeout(() => void (db.isOpen && db.isTransaction && commit.run()), 20)\n    } catch (error) {\n      rollBack()\n      return fail(',
      },
    ],
    caughtBy: { file: `${STORE}/group-commit.test.ts`, test: 'are committed together and settle after the commit' },
  },
  {
    name: 'the seq is chosen outside the transaction',
    edits: [
      {
        file: `${STORE}/sqlite-event-store.ts`,
        find: "const result = await commits.write('append', () => append(request, events))",
        replacement: `const head = await commits.read(() => reads.head(request.sessionId))
      const result = await commits.write('append', () => append({ ...request, expectedSeq: head?.lastSeq ?? 0 }, events))`,
      },
    ],
    caughtBy: { file: `${STORE}/sqlite-stores.test.ts`, test: 'seq-moved when the caller has not seen' },
  },
  {
    name: 'an append does not check its fence',
    edits: [
      {
        file: `${STORE}/append.ts`,
        find: "      if (fence !== undefined && !holds(head, fence)) return 'fenced'\n",
        replacement: '      void holds\n',
      },
    ],
    caughtBy: { file: `${STORE}/sqlite-stores.test.ts`, test: 'fenced when the runner no longer holds' },
  },
  {
    name: 'an append does not check how much its session and user may store',
    edits: [
      {
        file: `${STORE}/append.ts`,
        find: "    if (lack !== undefined) return { type: 'conflict', reason: lack }\n",
        replacement: '    void lack\n',
      },
    ],
    caughtBy: { file: `${STORE}/sqlite-stores.test.ts`, test: 'are limited for a session' },
  },
  {
    name: 'commits do not wait for the disk (synchronous=NORMAL)',
    edits: [
      {
        file: `${STORE}/open-database.ts`,
        find: 'PRAGMA synchronous = FULL',
        replacement: 'PRAGMA synchronous = NORMAL',
      },
      { file: `${STORE}/open-database.ts`, find: 'if (level !== 2)', replacement: 'if (level < 1)' },
    ],
    caughtBy: { file: 'tests/storage-faults/power-loss/power-loss.test.ts', test: '' },
  },
  {
    name: 'the receipt of a request is stored after the transaction that starts its turn',
    edits: [
      {
        file: `${STORE}/sqlite-event-store.ts`,
        find: "const result = await commits.write('append', () => append(request, events))",
        replacement: `const { receipt, ...rest } = request
      const result = await commits.write('append', () => append(rest, events))
      if (receipt === undefined || result.type !== 'appended') return result
      await commits.write('other', () =>
        db
          .prepare('INSERT INTO receipts (session_id, user_id, key, fingerprint, turn_id, seq) VALUES (?, ?, ?, ?, ?, ?)')
          .run(
            request.sessionId,
            receipt.userId,
            receipt.key,
            receipt.fingerprint,
            receipt.turnId,
            request.expectedSeq + 1 + receipt.firstEvent,
          ),
      )`,
      },
    ],
    caughtBy: { file: 'tests/crash/crash.test.ts', test: '' },
  },
  {
    name: 'the draft of an answer stays when the answer is recorded',
    edits: [
      {
        file: `${STORE}/append.ts`,
        find: '    if (clearDrafts !== undefined) drafts.clear(sessionId, clearDrafts)\n',
        replacement: '    void clearDrafts\n',
      },
    ],
    caughtBy: { file: `${STORE}/sqlite-stores.test.ts`, test: 'goes with the append that makes it obsolete' },
  },
]
