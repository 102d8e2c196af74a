/**
 * The scene of a scenario: the service as a real process under load, receivers that note everything, and at the end
 * the judgement that holds whatever happened: nothing acknowledged is lost, no record became two events, the file is
 * whole.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type AlertSetUp, setUpAccount } from "../test/kit/process/account.ts";
import { databaseIn, checkIntegrity, pendingDeliveries } from "../test/kit/process/database-file.ts";
import {
  type Findings,
  type Load,
  assertKept,
  type Witness,
  createWitness,
  startLoad,
} from "../test/kit/process/oracle.ts";
import { SHORT_RETRIES, type Running, freePort, startService } from "../test/kit/process/running.ts";
import type { Receiver } from "../test/kit/servers/receiver.ts";
import { eventually, soon } from "../test/kit/wait.ts";
import { QUIET } from "./under-load.ts";

export interface SceneOptions {
  readonly folder: string;
  /** `data` in the folder unless given. */
  readonly dataDir?: string;
  readonly receivers: readonly Receiver[];
  readonly alerts: readonly AlertSetUp[];
  /** URLs by the assistant's id. */
  readonly assistants: Readonly<Record<string, string>>;
  /** Requests that the load generator has open at once, each followed by the next without a pause. */
  readonly callers: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Retries every second instead of after 5 s, 5 min, 30 min …: for troubles that make attempts fail. */
  readonly retriesSoon?: boolean;
}

export interface Scene extends AsyncDisposable {
  readonly dataDir: string;
  readonly receivers: readonly Receiver[];
  readonly witness: Witness;
  readonly load: Load;
  /** The one that runs now. */
  service(): Running;
  /** After the last one has ended: another one on the same data and port. */
  startAgain(): Promise<void>;
}

/** Waits for nothing: long enough for two minutes of trouble and the longest rest that such trouble causes. */
const SOON_RETRIES = { E2E_RETRY_MS: "1000", E2E_RETRIES: "600" };

export async function openScene(options: SceneOptions): Promise<Scene> {
  const { folder, dataDir = join(folder, "data"), receivers, alerts, assistants, callers } = options;
  await setUpAccount({ dataDir, alerts, assistants });
  const service = {
    dataDir,
    port: await freePort(),
    env: { ...QUIET, ...(options.retriesSoon === true ? SOON_RETRIES : {}), ...options.env },
    ...(options.retriesSoon === true ? { program: [SHORT_RETRIES] } : {}),
  };
  let running = await startService(service);
  const load = startLoad(folder, [running], { assistants: Object.keys(assistants), callers });
  return {
    dataDir,
    receivers,
    witness: createWitness(receivers),
    load,
    service: () => running,
    async startAgain() {
      running = await startService(service);
    },
    async [Symbol.asyncDispose]() {
      await load.child[Symbol.asyncDispose]();
      await running[Symbol.asyncDispose]();
    },
  };
}

export interface Conclusion extends Findings {
  readonly drainedMs: number;
}

/** Ends the load, lets everything arrive, and judges what must hold in every scenario. */
export async function conclude(scene: Scene, drainMsMax: number): Promise<Conclusion> {
  const acknowledged = await scene.load.end();
  const drainedMs = await drain(scene, drainMsMax);
  const { code } = await scene.service().stop();
  assert.equal(code, 0, `the service ended with ${code}: ${scene.service().child.err.text}`);
  const found = scene.witness.judge(acknowledged);
  assertKept(found);
  assert.equal(pendingDeliveries(scene.dataDir).size, 0, "deliveries that still wait");
  assert.equal(countFailed(scene.dataDir), 0, "deliveries given up");
  assert.equal(checkIntegrity(scene.dataDir), "ok");
  return { ...found, drainedMs };
}

/** A service that was killed or is out of file descriptors may not answer at first. */
export async function drain(scene: Scene, forMs: number): Promise<number> {
  const waiting: string[] = [];
  const isEmpty = async (): Promise<boolean> => {
    const metrics = await scene
      .service()
      .get("/metrics")
      .catch(() => null);
    waiting.push(/^bellwire_deliveries_waiting (\d+)$/m.exec(metrics?.text ?? "")?.[1] ?? "no answer");
    return waiting.at(-1) === "0";
  };
  return await eventually("every delivery to end", isEmpty, forMs).catch((cause: unknown) => {
    // Slow, or stuck? The course of the number tells.
    const course = waiting.filter((_, place) => place % Math.ceil(waiting.length / 10) === 0).join(", ");
    throw new Error(`deliveries still wait after ${forMs / 1000} s, in the course of it: ${course}`, { cause });
  });
}

/** Resolves when what the service had written before its end is read: the receivers' sockets are closed then. */
export async function allRead(scene: Scene): Promise<void> {
  const closed = Promise.all(scene.receivers.map((receiver) => receiver.allClosed()));
  await soon(closed, "the end of the receivers' sockets", 10_000);
}

export function countFailed(dataDir: string): number {
  using database = openForReading(dataDir);
  return (
    database.read<{ count: number }>("select count(*) as count from deliveries where state = 'failed'")[0]?.count ?? 0
  );
}

/** The service's file, read by somebody else; also while the service runs or is stopped. */
export function openForReading(dataDir: string): Disposable & { read<Row>(sql: string): Row[] } {
  const database = new DatabaseSync(databaseIn(dataDir), { readOnly: true });
  return {
    read: <Row>(sql: string) => database.prepare(sql).all() as Row[],
    [Symbol.dispose]: () => database.close(),
  };
}

export const summarize = ({ acknowledged, deliveries, lost, duplicates, drainedMs }: Conclusion): string =>
  `${acknowledged} acknowledged, ${deliveries} deliveries, ${lost.length} lost, ${duplicates} sent twice, ` +
  `drained in ${(drainedMs / 1000).toFixed(1)} s`;
