/** The buckets of moved rows (`lib/bucket.ts`), which SQLite does not have: it says whose each row is. */
import type { Column } from "./moved-table.ts";

export const OF_ACCOUNT: Column = { kind: "bucket", read: "t.account_id" };

/** `account`: that of row `t`, as SQLite says it. A row of something that is gone can lie in any bucket. */
export const bucketBy = (account: string): Column => ({ kind: "bucket", read: `coalesce(${account}, '')` });
