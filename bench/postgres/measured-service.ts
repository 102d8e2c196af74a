/** Services on the database that is measured: one account with some destinations, all at the rig's receiver. */
import { openSync } from "node:fs";
import { join } from "node:path";
import { setUpAccount } from "../../test/kit/process/account.ts";
import { ACCOUNT, type Running, startService } from "../../test/kit/process/running.ts";
import { demoName } from "../record.ts";
import type { Rig, Send } from "../rig.ts";

const DESTINATIONS = 8;
const SINGLE_CONNECTIONS = 64;
const BATCH = 50;
const BATCH_CONNECTIONS = 8;

export interface Installation {
  readonly dataDir: string;
  /** `undefined`: SQLite in the data folder. */
  readonly database?: string;
}

export async function setUp({ port }: Rig, { dataDir, database }: Installation): Promise<void> {
  const numbers = Array.from({ length: DESTINATIONS }, (_, destination) => destination);
  const alerts = numbers.map((number) => ({ url: `http://127.0.0.1:${port}/in/${number}`, demos: [demoName(number)] }));
  await setUpAccount({ dataDir, alerts, ...(database === undefined ? {} : { database }) });
}

/** One node of it. */
export async function startMeasuredNode({ dataDir, database }: Installation): Promise<Running> {
  const env: Record<string, string> = database === undefined ? {} : { BELLWIRE_DATABASE: database };
  return await startService({ dataDir, env, output: openSync(join(dataDir, "log"), "a") });
}

const target = (nodes: readonly Running[]) => ({
  accounts: [ACCOUNT],
  apiKey: nodes[0]?.apiKey ?? "",
  ports: nodes.map(({ url }) => Number(new URL(url).port)),
  destinations: DESTINATIONS,
});

/** As fast as they come: the next request when an answer is there. */
export const LOADS = {
  single: { name: `single posts over ${SINGLE_CONNECTIONS} connections`, batch: 1, connections: SINGLE_CONNECTIONS },
  batches: { name: `NDJSON of ${BATCH} over ${BATCH_CONNECTIONS}`, batch: BATCH, connections: BATCH_CONNECTIONS },
} as const;

export function closedLoad(rig: Rig, nodes: readonly Running[], kind: keyof typeof LOADS): Send {
  const { batch, connections } = LOADS[kind];
  return (durationMs, firstSequence) =>
    rig.load.ask({ kind: "closed", ...target(nodes), batch, connections, firstSequence, durationMs });
}

/** Single posts at a rate, whatever the service does. */
export function openLoad(rig: Rig, nodes: readonly Running[], ratePerSecond: number): Send {
  const rate = { batch: 1, connections: SINGLE_CONNECTIONS, ratePerSecond };
  return (durationMs, firstSequence) =>
    rig.load.ask({ kind: "open", ...target(nodes), ...rate, firstSequence, durationMs });
}
