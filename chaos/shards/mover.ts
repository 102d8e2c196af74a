/**
 * A mover, a process of its own: moves one account after the other to a random other shard by what `bellwire shards
 * move` runs, until its standard input closes, or until it dies by SIGKILL: behind a step of its last move, or at any
 * instant. Moves of another mover it takes back. Each line that it prints is a `MoverLine`.
 */
import { writeSync } from "node:fs";
import { readConfig } from "../../src/config/config.ts";
import { loadKeys } from "../../src/config/keys.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { createSealer } from "../../src/lib/seal.ts";
import { StoreUnavailable } from "../../src/store/contract/store.ts";
import { toStoreError } from "../../src/store/postgres/failures.ts";
import { SHARD_ADDRESS } from "../../src/store/postgres/shards/directory.ts";
import { moveAccount, type Step } from "../../src/store/postgres/shards/move/move-account.ts";
import { takeBack } from "../../src/store/postgres/shards/move/take-back.ts";
import { openMoves } from "../../src/store/postgres/shards/moves.ts";
import { pause } from "../../test/kit/wait.ts";
import { createSeededRandom } from "../../test/kit/world/seeded-random.ts";
import { toValue } from "../../test/kit/world/world.ts";

export interface MoverJob {
  readonly accounts: readonly string[];
  readonly shards: readonly string[];
  /** Chooses accounts and shards. */
  readonly seed: number;
  readonly dies: { readonly inMove: number; readonly behind: Step } | { readonly afterMs: number } | null;
}

export type MoverLine =
  | { readonly kind: "moved"; readonly fencedMs: number; readonly tookMs: number; readonly rows: number }
  | { readonly kind: "took back" | "was there" }
  /** Somebody else moves it, or a server is away: it is asked for later. */
  | { readonly kind: "not now"; readonly why: string }
  | { readonly kind: "dies"; readonly behind: Step | null };

const AGAIN_MS = 200;

const job = JSON.parse(process.env["MOVER_JOB"] ?? "") as MoverJob;
const { unit } = createSeededRandom(job.seed);
let isEnding = false;
process.stdin.once("end", () => void (isEnding = true));
process.stdin.resume();
if (job.dies !== null && "afterMs" in job.dies) setTimeout(() => die(null), job.dies.afterMs);

const config = toValue(readConfig(process.env));
if (config.database.kind !== "postgres") throw new Error("shards are of PostgreSQL");
const sealer = createSealer(toValue(loadKeys(config, systemRandom)).encryptionKey, systemRandom);
await using over = openMoves({
  url: config.database.url,
  pooler: config.databasePooler,
  openAddress: (sealed) => sealer.open(sealed, SHARD_ADDRESS),
});
for (let begun = 1; !isEnding; begun += 1) {
  const line = await move(begun).catch((thrown: unknown): MoverLine => {
    const error = toStoreError(thrown);
    if (!(error instanceof StoreUnavailable)) throw error;
    return { kind: "not now", why: error.message };
  });
  print(line);
  if (line.kind === "not now") await pause(AGAIN_MS);
}

async function move(begun: number): Promise<MoverLine> {
  const { dies } = job;
  const startedMs = performance.now();
  const accountId = oneOf(job.accounts);
  const moved = await moveAccount(over, {
    accountId,
    to: oneOf(job.shards),
    nowMs: Date.now,
    async onStep(step) {
      if (dies !== null && "inMove" in dies && begun >= dies.inMove && step === dies.behind) die(step);
      await Promise.resolve();
    },
  });
  if (moved.kind === "missing") throw new Error(`no shard has ${accountId}`);
  if (moved.kind !== "moved") {
    // A move of it has died, or another mover is at it.
    await takeBack(over, { accountId });
    return { kind: "took back" };
  }
  const { fencedMs, rows } = moved;
  if (rows === 0) return { kind: "was there" };
  return { kind: "moved", fencedMs, rows, tookMs: Math.round(performance.now() - startedMs) };
}

function oneOf(names: readonly string[]): string {
  return names[Math.floor(unit() * names.length)] ?? "";
}

function print(line: MoverLine): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

function die(behind: Step | null): void {
  print({ kind: "dies", behind });
  process.kill(process.pid, "SIGKILL");
}
