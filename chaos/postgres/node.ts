/**
 * One node of several: a real process that is started, killed and started again on its port. Each life has a name of
 * its own, which its connections carry, so that the database knows who did what (see `claim-book.ts`).
 */
import { ODD_NODE, type Running, freePort, startService } from "../../test/kit/process/running.ts";
import { QUIET } from "../under-load.ts";

export interface NodeOptions {
  readonly name: string;
  /** Keys; every node has the same. */
  readonly dataDir: string;
  readonly database: string;
  /** How far its clock is ahead of the machine's; below 0 it is behind. */
  readonly clockAheadMs?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Node extends AsyncDisposable {
  readonly name: string;
  readonly url: string;
  /** The name of the life that it is in, or was in last. */
  holder(): string;
  isUp(): boolean;
  /** The process; only while it is up. */
  running(): Running;
  start(): Promise<void>;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** SIGTERM. Rejects when that does not end it in order. */
  stop(): Promise<void>;
}

export async function createNode(options: NodeOptions): Promise<Node> {
  const { name, dataDir, database, clockAheadMs = 0 } = options;
  const port = await freePort();
  let life = 0;
  let process: Running | null = null;
  const holder = (): string => `${name}.${life}`;
  const running = (): Running => process ?? fail(`${name} is down`);
  const env = { ...options.env, ...QUIET, E2E_CLOCK_AHEAD_MS: String(clockAheadMs), BELLWIRE_DATABASE: database };
  // The service itself, unless its clock is wrong.
  const program = clockAheadMs === 0 ? {} : { program: [ODD_NODE] };

  function takeDown(): Running {
    const ended = running();
    process = null;
    return ended;
  }

  return {
    name,
    url: `http://127.0.0.1:${port}`,
    holder,
    isUp: () => process !== null,
    running,
    async start() {
      life += 1;
      // Connections to every shard get it from there.
      process = await startService({ dataDir, port, env: { ...env, PGAPPNAME: holder() }, ...program });
    },
    kill: () => takeDown().crash(),
    async stop() {
      const ended = takeDown();
      const { code } = await ended.stop();
      if (code !== 0) fail(`${name} ended with ${code}: ${ended.child.err.text}`);
    },
    async [Symbol.asyncDispose]() {
      await process?.[Symbol.asyncDispose]();
    },
  };
}

function fail(why: string): never {
  throw new Error(why);
}
