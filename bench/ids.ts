/**
 * `npm run bench -- ids`: what numbers in place of texts as ids would save SQLite's store (ADR 24). It writes the rows
 * of webhooks that succeed at once, a hundred in a commit, into a database of each layout in turns. No other code of
 * the service runs.
 */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import { openDatabaseFile } from "../src/store/sqlite/writer/database-file.ts";
import { GENERATION_KEYS } from "../src/store/sqlite/path/recent-keys.ts";
import { newDiskFolder } from "../test/kit/folder.ts";
import { describeMachine } from "./conditions.ts";
import { type Layout, LAYOUTS, layOut, prepare } from "./ids/layouts.ts";
import { createWebhooks, type Webhook } from "./ids/webhooks.ts";
import { median } from "./path/table.ts";
import { count, head, row } from "./postgres/measurement.ts";

const { values } = parseArgs({
  options: { before: { type: "string", default: "200000" }, turns: { type: "string", default: "5" } },
});
const BEFORE = Number(values.before);
const MEASURED = 40_000;
const IN_COMMIT = 100;
/** As the store merges them. */
const KEYS_MERGED_FOR_EACH = 2;

interface Cost {
  readonly cpuMicros: number;
  readonly bytesWritten: number;
}

interface Subject {
  readonly layout: Layout;
  readonly costs: Cost[];
  /** Accepts webhooks and settles those of the call before. */
  write(webhooks: readonly Webhook[]): void;
  fileBytes(): number;
  close(): void;
}

const folder = newDiskFolder("ids");
for (const line of describeMachine(folder)) console.log(`- ${line}`);
console.log(
  `- ${count(BEFORE)} webhooks before, ${values.turns} turns of ${count(MEASURED)}, ${IN_COMMIT} in a commit`,
);
console.log("- medians (least to most); ratios of the turns to the first layout\n");

const webhooks = createWebhooks();
const subjects = LAYOUTS.map(start);
write(BEFORE);
for (let turn = 0; turn < Number(values.turns); turn += 1) write(MEASURED, turn);
print();
for (const subject of subjects) subject.close();

function start(layout: Layout, place: number): Subject {
  const path = join(folder, `${place}.db`);
  openDatabaseFile({ path, nowMs: 0 })[Symbol.dispose]();
  const db = new DatabaseSync(path);
  layOut(db, layout);
  db.exec("pragma synchronous = full; pragma wal_autocheckpoint = 8000; pragma cache_size = -4096");
  const writer = prepare(db, layout);
  let settling: readonly Webhook[] = [];
  let young: Webhook[] = [];
  let merging: Webhook[] = [];
  return {
    layout,
    costs: [],
    write(accepted) {
      db.exec("begin immediate");
      for (const { source, n } of merging.splice(0, accepted.length * KEYS_MERGED_FOR_EACH)) {
        writer.key.run(...layout.toKey(source), n);
      }
      for (const webhook of accepted) {
        writer.find.get(...layout.toKey(webhook.source));
        writer.event.run(...layout.toEvent(webhook));
      }
      for (const webhook of settling) writer.delivery.run(...layout.toDelivery(webhook));
      db.exec("commit");
      settling = accepted;
      young.push(...accepted);
      if (young.length < GENERATION_KEYS) return;
      merging = young.toSorted((one, other) => Buffer.compare(one.source, other.source));
      young = [];
    },
    fileBytes() {
      db.exec("pragma wal_checkpoint(truncate)");
      return statSync(path).size;
    },
    close: () => db.close(),
  };
}

/** Writes the same webhooks to all. A turn is measured, and the order changes with it. */
function write(total: number, turn: number | null = null): void {
  const batches = Array.from({ length: total / IN_COMMIT }, () => webhooks.next(IN_COMMIT));
  for (const subject of (turn ?? 0) % 2 === 0 ? subjects : subjects.toReversed()) {
    const [cpu, bytes] = [process.cpuUsage(), bytesWritten()];
    for (const batch of batches) subject.write(batch);
    const { user, system } = process.cpuUsage(cpu);
    if (turn === null) continue;
    subject.costs.push({ cpuMicros: (user + system) / total, bytesWritten: (bytesWritten() - bytes) / total });
  }
}

function bytesWritten(): number {
  return Number(/^wchar: (\d+)$/m.exec(readFileSync("/proc/self/io", "latin1"))?.[1] ?? 0);
}

function print(): void {
  const [first] = subjects;
  head("Ids", "µs of CPU a webhook", "ratio", "bytes written", "bytes of file");
  for (const { layout, costs, fileBytes } of subjects) {
    const micros = costs.map(({ cpuMicros }) => cpuMicros);
    const ratios = costs.map(({ cpuMicros }, turn) => cpuMicros / (first?.costs[turn]?.cpuMicros ?? Number.NaN));
    const bytes = median(costs.map((cost) => cost.bytesWritten));
    const file = fileBytes() / (BEFORE + costs.length * MEASURED);
    const spread = `(${Math.min(...micros).toFixed(1)} to ${Math.max(...micros).toFixed(1)})`;
    const cells = [`${median(micros).toFixed(1)} ${spread}`, median(ratios).toFixed(2)];
    row(layout.name, ...cells, count(Math.round(bytes)), count(Math.round(file)));
  }
}
