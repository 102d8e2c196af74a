import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { systemClock } from "../../lib/clock.ts";
import { pathConformance } from "../conformance/suite.ts";
import { openSqliteStore } from "./open.ts";

const folder = mkdtempSync(join(tmpdir(), "bellwire-store-"));
after(() => rmSync(folder, { recursive: true }));

let files = 0;

pathConformance("SQLite on a file", () => {
  files += 1;
  return openSqliteStore({ path: join(folder, `${files}.db`), clock: systemClock });
});
