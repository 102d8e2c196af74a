/**
 * News for a channel, and a node that is killed while it tells it. The node claims the news first, so it may die with
 * the claim before anything was said, or after everything was said and before it could write that down.
 */
import assert from "node:assert/strict";
import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { addNewsChannel } from "../src/accounts/news-channels.ts";
import type { NotificationBody, NotificationType } from "../src/domain/notification-body.ts";
import { newFolder } from "../test/kit/folder.ts";
import { openApp, setUpAccount } from "../test/kit/process/account.ts";
import { sessionRecord } from "../test/kit/process/records.ts";
import { ACCOUNT, freePort, startService } from "../test/kit/process/running.ts";
import { startReceiver } from "../test/kit/servers/receiver.ts";
import { eventually, soon } from "../test/kit/wait.ts";
import { ADA, toValue, uuid } from "../test/kit/world/world.ts";

const FAST_CLOCK = join(import.meta.dirname, "..", "test", "kit", "process", "fast-clock.ts");

/** More than it takes to open a circuit breaker. */
const SESSIONS = 12;

interface Told {
  readonly id: string;
  readonly type: NotificationType | "notice.test";
}

/** `connected`: kills at the first byte, and hears nothing. `heard`: kills when it has heard all. `taken`: answers. */
interface Channel extends AsyncDisposable {
  readonly url: string;
  readonly told: readonly Told[];
  killAt: "connected" | "heard" | "taken";
  kill: () => void;
}

async function startChannel(): Promise<Channel> {
  const told: Told[] = [];
  const server: Server = createServer((request, response) => {
    if (channel.killAt === "connected") return;
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { type } = JSON.parse(Buffer.concat(parts).toString()) as NotificationBody;
      told.push({ id: String(request.headers["webhook-id"]), type });
      if (channel.killAt === "heard") channel.kill();
      else response.end();
    });
  });
  server.on("connection", () => {
    if (channel.killAt === "connected") channel.kill();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const channel: Channel = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/news`,
    told,
    killAt: "connected",
    kill: () => {},
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
  return channel;
}

test("a channel is told once or twice when its node is killed while it tells it, never not at all", async () => {
  using folder = newFolder();
  await using parts = new AsyncDisposableStack();
  let status = 503;
  const receiver = parts.use(await startReceiver(() => ({ status })));
  const channel = parts.use(await startChannel());
  const dataDir = `${folder.path}/data`;
  await setUpAccount({ dataDir, alerts: [{ url: receiver.url, name: "CRM" }] });
  {
    await using app = await openApp({ dataDir });
    const { url } = channel;
    toValue(await addNewsChannel(app.accounts, { accountId: ACCOUNT, kind: "webhook", name: "ops", url, by: ADA }));
  }
  const env = { E2E_CLOCK_START_MS: String(Date.now()), BELLWIRE_LOG_LEVEL: "warn" };
  const options = { dataDir, port: await freePort(), env, program: [FAST_CLOCK] };
  let service = await startService(options);
  parts.defer(() => service[Symbol.asyncDispose]());
  channel.kill = () => service.child.kill("SIGKILL");
  for (let number = 1; number <= SESSIONS; number += 1) {
    assert.equal((await service.post("demo-sessions", sessionRecord(uuid(number)))).status, 202);
  }

  await soon(service.child.exited, "the kill with a claim");
  assert.equal(channel.told.length, 0, "the claim was made and nothing was said");
  channel.killAt = "heard";
  service = await startService(options);
  await soon(service.child.exited, "the kill before the news is settled");
  assert.equal(channel.told.length, 1);
  channel.killAt = "taken";
  service = await startService(options);
  await eventually("it is told again", () => channel.told.length === 2);
  const [first, second] = channel.told;
  assert.deepEqual(first, second, "under the same id, so that the channel can tell a repeat");
  assert.equal(first?.type, "destination.failing");

  // What comes next is other news: nothing was told a third time.
  status = 200;
  await eventually("it is told of the end", () => channel.told.length > 2);
  assert.equal(channel.told[2]?.type, "destination.recovered");
});
