/**
 * A node that claims once, and dies by SIGKILL before its n-th statement of that claim:
 * `claim-and-die.ts <url> <now> <n>`. Where there are fewer it says how many there were, and leaves as a node does that
 * is killed afterwards.
 */
import pg from "pg";
import { systemClock } from "../../../src/lib/clock.ts";
import { claimDue } from "../../../src/store/conformance/world.ts";
import { openPostgresStore } from "../../../src/store/postgres/open.ts";

const [url = "", nowMs = "", deadly = ""] = process.argv.slice(2);
const { store } = await openPostgresStore({ url, clock: systemClock });
const query: unknown = Reflect.get(pg.Client.prototype, "query");
let statements = 0;
Reflect.set(pg.Client.prototype, "query", function (this: pg.Client, ...args: unknown[]): unknown {
  statements += 1;
  if (statements === Number(deadly)) process.kill(process.pid, "SIGKILL");
  return Reflect.apply(query as () => unknown, this, args);
});
await claimDue(store, Number(nowMs));
console.log(`statements: ${statements}`);
process.kill(process.pid, "SIGKILL");
