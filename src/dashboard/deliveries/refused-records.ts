/** The product's records that became no event, with the reasons: for people who miss a webhook. */
import { PROBLEMS } from "../../domain/problem.ts";
import { ok, refuse } from "../../lib/result.ts";
import type { StoredRefusedRecord } from "../../store/contract/inbox.ts";
import type { RefusedRecord } from "../contract/catalog.ts";
import { readSeqCursor, writeSeqCursor } from "../call/cursor.ts";
import { invalidQuery, type Handler, type Handlers } from "../call/operation.ts";

const PAGE_ROWS = 20;

/** Most are whole with that; a page of them stays small. */
const RECORD_CHARS_SHOWN = 16 * 1024;

const listRefusedRecords: Handler<"GET /refused-records"> = async (ctx, { session, query }) => {
  const before = readSeqCursor(query.cursor);
  if (!before.ok) return refuse(invalidQuery([before.error]));
  // One more than is shown tells whether there is another page.
  const limits = { limit: PAGE_ROWS + 1, recordCharsMax: RECORD_CHARS_SHOWN };
  const { accountId } = session;
  const refused = await ctx.accounts.store.listRefusedRecords({ accountId, before: before.value, ...limits });
  const shown = refused.slice(0, PAGE_ROWS);
  const last = shown.at(-1);
  const hasMore = refused.length > PAGE_ROWS && last !== undefined;
  return ok({ records: shown.map(toRefusedRecord), nextCursor: hasMore ? writeSeqCursor(last.seq) : null });
};

function toRefusedRecord({ seq, problem: why, ...rest }: StoredRefusedRecord): RefusedRecord {
  const { code, detail, errors: fields = [] } = why;
  return { id: seq, ...rest, title: PROBLEMS[code].title, detail, fields };
}

export const refusedRecordHandlers = {
  "GET /refused-records": listRefusedRecords,
} satisfies Handlers;
