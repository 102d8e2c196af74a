/**
 * One of three nodes is cut off from the database for longer than a lease, without being told: a proxy swallows every
 * byte. It refuses with 503, the others take its deliveries over when its claims have run out, and when the way is free
 * again it goes on by itself. Webhooks that it had sent meanwhile and could not note come twice.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { sessionRecord } from "../../test/kit/process/records.ts";
import { type Scenario, kept, skipped } from "../scenario.ts";
import { eventually } from "../../test/kit/wait.ts";
import { startTcpProxy } from "../../test/kit/servers/tcp-proxy.ts";
import type { Node } from "./node.ts";
import { outlastClaims, summarizeAbsence } from "./out-of-touch.ts";
import { openNodesScene, summarizeNodes } from "./scene.ts";

export const cut: Scenario = {
  name: "cut",
  forMsMax: 300_000,
  async run({ folder, isQuick }) {
    if (isQuick) return skipped("takes longer than a claim, 60 s");
    await using way = new AsyncDisposableStack();
    const { promise: opened, resolve: open } = Promise.withResolvers<Awaited<ReturnType<typeof startTcpProxy>>>();
    const wayTo = async (database: string): Promise<string> => {
      const proxy = way.use(await startTcpProxy(toSocketPath(database)));
      open(proxy);
      return throughProxy(database, proxy.port);
    };
    await using scene = await openNodesScene({ folder, nodes: [{ wayTo }, {}, {}] });
    const proxy = await opened;
    const absent = await outlastClaims(scene, {
      begin: () => void (proxy.weather = { kind: "black_hole" }),
      during: refuses,
      end: () => void (proxy.weather = { kind: "clear" }),
    });
    return kept(`one of three cut off for ${summarizeAbsence(absent)}: ${summarizeNodes(absent.found)}`);
  },
};

async function refuses(node: Node): Promise<void> {
  // What load balancers are told may be a second old.
  const notReady = eventually("it is not ready", async () => (await node.running().get("/readyz")).status === 503);
  const [refused] = await Promise.all([node.running().post("demo-sessions", sessionRecord(randomUUID())), notReady]);
  assert.equal(refused.status, 503);
}

/** The file that a server of ours listens on. */
const toSocketPath = (database: string): string =>
  join(new URL(database).searchParams.get("host") ?? "", ".s.PGSQL.5432");

function throughProxy(database: string, port: number): string {
  const { pathname, searchParams } = new URL(database);
  return `postgres://${searchParams.get("user")}@127.0.0.1:${port}${pathname}`;
}
