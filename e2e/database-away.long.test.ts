/**
 * A real service whose PostgreSQL goes away in every way that it can, with a proxy between them that makes the
 * network's part of it. Each time: intake says no, what is on the wire ends, and when the database is back everything
 * goes on in the same process, with nothing lost and nothing sent twice.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { type TcpProxy, startTcpProxy } from "../test/kit/servers/tcp-proxy.ts";
import { type Cluster, startCluster } from "../test/kit/servers/postgres.ts";
import { type Receiver, startReceiver } from "../test/kit/servers/receiver.ts";
import { setUpAccount } from "../test/kit/process/account.ts";
import { type Folder, newFolder } from "../test/kit/folder.ts";
import { conversationRecord } from "../test/kit/process/records.ts";
import { type Running, drained, startService } from "../test/kit/process/running.ts";
import { eventually, soon } from "../test/kit/wait.ts";

/** Not above what a new lane sends at once. */
const ON_THE_WIRE = 3;

describe("a PostgreSQL that goes away", () => {
  const stack = new AsyncDisposableStack();
  let folder: Folder;
  let cluster: Cluster;
  let proxy: TcpProxy;
  let receiver: Receiver;
  let service: Running;

  before(async () => {
    folder = stack.use(newFolder());
    cluster = stack.use(await startCluster({ syncs: true }));
    const direct = await cluster.createDatabase();
    const { pathname, searchParams } = new URL(direct);
    proxy = stack.use(await startTcpProxy(`${searchParams.get("host")}/.s.PGSQL.5432`));
    receiver = stack.use(await startReceiver());
    await setUpAccount({ dataDir: folder.path, database: direct, assistants: { bot: receiver.url } });
    const database = `postgres://${searchParams.get("user")}@127.0.0.1:${proxy.port}${pathname}`;
    const env = { BELLWIRE_DATABASE: database, BELLWIRE_LOG_LEVEL: "error" };
    service = stack.use(await startService({ dataDir: folder.path, env }));
  });
  after(() => stack.disposeAsync());

  const post = (id: string) => service.post("chat-conversations", conversationRecord(id, "bot"));

  const arrivals = (id: string): number => receiver.requests.filter(({ body }) => body.includes(id)).length;

  interface Trouble {
    begin(): Promise<void> | void;
    end(): Promise<unknown> | void;
  }

  async function outlive({ begin, end }: Trouble): Promise<void> {
    const answers = Promise.withResolvers<void>();
    receiver.script = async () => {
      await answers.promise;
      return {};
    };
    const onTheWire = Array.from({ length: ON_THE_WIRE }, () => randomUUID());
    const already = receiver.requests.length;
    for (const id of onTheWire) assert.equal((await post(id)).status, 202);
    await soon(receiver.received(already + ON_THE_WIRE), "requests on the wire");

    await begin();
    const refusedId = randomUUID();
    // What it says may be a second old.
    const notReady = eventually("it is not ready", async () => (await service.get("/readyz")).status === 503);
    const [refused] = await Promise.all([post(refusedId), notReady]);
    assert.deepEqual([refused.status, refused.json["code"]], [503, "store_unavailable"]);
    assert.match(String(refused.headers["retry-after"]), /^\d+$/);
    assert.equal((await service.get("/healthz")).status, 200);
    answers.resolve();

    await end();
    await eventually("it is ready again", async () => (await service.get("/readyz")).status === 200);
    // The caller who was refused comes again.
    assert.ok([200, 202].includes((await post(refusedId)).status));
    await drained(service);
    for (const id of [...onTheWire, refusedId]) assert.equal(arrivals(id), 1, id);
  }

  test("stopped as by a crash, and started again", () =>
    outlive({ begin: () => cluster.stop("immediate"), end: () => cluster.start() }));

  test("cut off, so that connections break and none can be made", () =>
    outlive({
      begin: () => void (proxy.weather = { kind: "cut" }),
      end: () => void (proxy.weather = { kind: "clear" }),
    }));

  test("cut off, so that nothing gets through and nobody is told", () =>
    outlive({
      begin: () => void (proxy.weather = { kind: "black_hole" }),
      end: () => void (proxy.weather = { kind: "clear" }),
    }));

  test("failed over: there is a standby at its address, then it is promoted", () =>
    outlive({
      async begin() {
        await cluster.stop("fast");
        await cluster.start("standby");
      },
      end: () => cluster.query(cluster.toUrl("postgres"), "select pg_promote()"),
    }));

  test("all of it in the one process that was started first", async () => {
    assert.equal((await service.stop()).code, 0);
  });
});
