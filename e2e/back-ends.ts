/**
 * The other ways in over HTTP while a service is killed and started again: the client of the package, and the command
 * `bellwire send`. Each hands in records of a declared type, and keeps what it was told.
 */
import { randomUUID } from "node:crypto";
import { createClient } from "../src/client/client.ts";
import { minutesMs } from "../src/lib/duration.ts";
import { EVENTS_FOLDER, LEAD_TYPE, leadRecord } from "../test/kit/declared-types.ts";
import { startChild } from "../test/kit/process/child.ts";
import type { Acknowledged, Intake } from "../test/kit/process/oracle.ts";
import { ACCOUNT, BIN } from "../test/kit/process/running.ts";
import { pause, soon } from "../test/kit/wait.ts";

const BATCH_RECORDS = 10;
/** As long as the service may be away: on a busy machine it takes more than half a minute to start. */
const RETRY_FOR_MS = minutesMs(10);
/** A client without pauses would be most of the load. */
const PAUSE_MS = 50;

export interface ClientAtWork {
  /** Lets it finish its batch: what was accepted. */
  end(): Promise<Acknowledged>;
}

/** Sends one by one and in batches, until it is told to end. A service that is away is waited for, by the client. */
export function startClient({ url, apiKey }: Intake): ClientAtWork {
  const client = createClient({ url, key: apiKey, retryForMs: RETRY_FOR_MS });
  const accepted = new Map<string, { readonly eventIds: Set<string>; readonly deliveries: number }>();
  let isStopping = false;

  async function sendBatch(count: number): Promise<void> {
    const ids = Array.from({ length: count }, () => randomUUID());
    const records = ids.map((id) => JSON.parse(leadRecord(id)) as object);
    for await (const result of client.sendEvents(ACCOUNT, LEAD_TYPE, records)) {
      if (result.kind !== "accepted") throw new Error(`the client was told ${JSON.stringify(result)}`);
      accepted.set(ids.shift() ?? "", { eventIds: new Set([result.eventId]), deliveries: result.deliveries });
    }
  }

  async function run(): Promise<void> {
    for (let batch = 0; !isStopping; batch += 1) {
      await sendBatch(batch % 2 === 0 ? 1 : BATCH_RECORDS);
      await pause(PAUSE_MS);
    }
  }

  const running = run();
  running.catch(() => {});
  return {
    async end() {
      isStopping = true;
      await soon(running, "the end of the client");
      return accepted;
    },
  };
}

/** Runs the command to its end: what it printed as accepted; nothing where the service was away. */
export async function runSend(service: Intake, dataDir: string): Promise<Acknowledged> {
  const port = new URL(service.url).port;
  const env = { BELLWIRE_DATA_DIR: dataDir, BELLWIRE_PORT: port, BELLWIRE_EVENTS: EVENTS_FOLDER };
  const args = [BIN, "send", "--event", LEAD_TYPE, "--account", ACCOUNT, "--count", String(BATCH_RECORDS)];
  await using command = startChild({ args, env });
  await soon(command.exited, "the end of bellwire send");
  const lines = command.out.text.matchAll(/^✓ (\S+) +accepted as (\S+), (\d+) deliver/gm);
  return new Map(
    [...lines].map(([, id = "", eventId = "", deliveries]) => [
      id,
      { eventIds: new Set([eventId]), deliveries: Number(deliveries) },
    ]),
  );
}
