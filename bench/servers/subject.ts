/** A service on the databases of one contender, and what a webhook costs its servers under a load. */
import { mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { shards } from "../../src/commands/shards.ts";
import { setUpAccount } from "../../test/kit/process/account.ts";
import { drained, startService } from "../../test/kit/process/running.ts";
import { createFakeIo } from "../../test/kit/world/fake-io.ts";
import { alertsTo, DESTINATIONS } from "../path/loads.ts";
import { cpuOfProcess, type Measured, measure, type Rig, type Send, type Span } from "../rig.ts";
import type { Databases } from "./databases.ts";

export interface ServersLoad {
  readonly name: string;
  /** Records a request. */
  readonly batch: number;
  readonly connections: number;
  /** As many for each shard: commits are as large as one server's then. */
  readonly isForEachShard?: boolean;
  /** By the name of the databases. */
  readonly aims: Readonly<Record<string, string>>;
}

const SINGLE = { batch: 1, connections: 48, aims: { "two plain": "≤ 1.15", Citus: "≤ 5" } };

export const LOADS = [
  { name: "single posts over 48", ...SINGLE },
  { name: "single posts, 48 a shard", ...SINGLE, isForEachShard: true },
  { name: "NDJSON of 50 over 8", batch: 50, connections: 8, aims: { "two plain": "≤ 1.15", Citus: "≤ 3" } },
] as const satisfies readonly ServersLoad[];

export const ACCOUNTS = 12;
const IDS = Array.from({ length: ACCOUNTS }, (_, number) => `bench-${number}`);

export interface Subject extends AsyncDisposable {
  readonly name: string;
  measure(load: ServersLoad, span: Span): Promise<Measured>;
}

export interface Scene {
  readonly rig: Rig;
  /** Empty, for this subject alone. */
  readonly folder: string;
}

/** Its service runs until it is disposed. */
export async function startSubject(databases: Databases, { rig, folder: dataDir }: Scene): Promise<Subject> {
  const { name, home, cpuSeconds } = databases;
  mkdirSync(dataDir);
  for (const accountId of IDS) await setUpAccount({ dataDir, database: home, accountId, alerts: alertsTo(rig) });
  await spreadOver(databases, dataDir);
  const output = openSync(join(dataDir, "log"), "a");
  const node = await startService({ dataDir, env: { BELLWIRE_DATABASE: home }, output });
  const target = {
    accounts: IDS,
    apiKey: node.apiKey,
    ports: [Number(new URL(node.url).port)],
    destinations: DESTINATIONS,
  };
  return {
    name,
    async measure({ name: load, batch, connections: ofAll, isForEachShard = false }, span) {
      const connections = ofAll * (isForEachShard ? databases.shards.length + Number(databases.isHomeUsed) : 1);
      const send: Send = (durationMs, firstSequence) =>
        rig.load.ask({ kind: "closed", ...target, batch, connections, firstSequence, durationMs });
      const cpu = () => ({ node: cpuOfProcess(node.child.pid), servers: cpuSeconds() });
      const measured = await measure(rig, { name: load, send, cpu, services: [node] }, span);
      await drained(node);
      return measured;
    },
    [Symbol.asyncDispose]: async () => void (await node.stop()),
  };
}

/** As an operator does it: adds the shards, and moves accounts so that each shard has as many as the others. */
async function spreadOver({ home, shards: added, isHomeUsed }: Databases, dataDir: string): Promise<void> {
  for (const { address, schema } of added) await run(dataDir, home, "add", address, "--schema", schema);
  const names = [...(isHomeUsed ? ["0"] : []), ...added.map((_, place) => String(place + 1))];
  for (const [place, to] of names.entries()) {
    const ids = IDS.filter((_, number) => number % names.length === place);
    if (to !== "0") await run(dataDir, home, "move", ...ids, "--to", to);
  }
}

async function run(dataDir: string, home: string, ...args: readonly string[]): Promise<void> {
  const { io, err } = createFakeIo(args, { BELLWIRE_DATA_DIR: dataDir, BELLWIRE_DATABASE: home });
  if ((await shards(io)) !== 0) throw new Error(`bellwire shards ${args[0]}: ${err.join("; ")}`);
}
