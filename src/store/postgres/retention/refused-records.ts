/** Records of the inbox that could not become events: kept with their reason until retention takes them. */
import type { Problem, ProblemCode } from "../../../domain/problem.ts";
import { problem } from "../../../domain/problem.ts";
import type { ListRefusedRecords, StoredRefusedRecord } from "../../contract/inbox.ts";
import type { Purge } from "../../contract/log.ts";
import type { Transaction } from "../transaction.ts";

export async function listRefusedRecords(
  tx: Transaction,
  { accountId, before, limit, recordCharsMax }: ListRefusedRecords,
): Promise<StoredRefusedRecord[]> {
  const beforeSeq = before?.seq ?? Number.MAX_SAFE_INTEGER;
  const rows = await tx.db.all<RefusedRow>(LIST_REFUSED, accountId, beforeSeq, limit, recordCharsMax);
  return rows.map(({ code, detail, errors, ...rest }) => ({ ...rest, problem: toProblem(code, detail, errors) }));
}

interface RefusedRow extends Omit<StoredRefusedRecord, "problem"> {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly errors: string;
}

function toProblem(code: ProblemCode, detail: string, errorsText: string): Problem {
  const errors = JSON.parse(errorsText) as NonNullable<Problem["errors"]>;
  return problem(code, detail, errors.length === 0 ? undefined : errors);
}

/** First the records, which are payloads, then the rows. Changes at most `rowsMax` of them and returns how many. */
export async function purgeRefusedRecords(
  tx: Transaction,
  { payloadsBeforeMs, rowsBeforeMs }: Purge,
  rowsMax: number,
): Promise<number> {
  const emptied = await tx.db.run(EMPTY_REFUSED, payloadsBeforeMs, rowsMax);
  return emptied + (await tx.db.run(DELETE_REFUSED, rowsBeforeMs, rowsMax - emptied));
}

/** Exported for the test that reads its plan, like the next ones. */
export const LIST_REFUSED = `-- name: list newest refused records of account
  select seq, type, nullif(left(record, $4), '') as record, length(record) > $4 as "isRecordCut",
    emitted_at as "emittedAtMs", refused_at as "refusedAtMs", code, detail, errors
  from refused_records
  where account_id = $1 and seq < $2
  order by seq desc
  limit $3`;

export const EMPTY_REFUSED = `-- name: purge payloads of refused records
  with old as materialized (
    select seq
    from refused_records
    where record <> '' and refused_at < $1
    order by refused_at
    limit $2
  )
  update refused_records r
  set record = ''
  from old
  where r.seq = old.seq`;

export const DELETE_REFUSED = `-- name: delete old refused records
  with old as materialized (
    select seq
    from refused_records
    where refused_at < $1
    order by refused_at
    limit $2
  )
  delete from refused_records r
  using old
  where r.seq = old.seq`;
