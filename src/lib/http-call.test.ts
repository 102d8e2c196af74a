import assert from "node:assert/strict";
import { once } from "node:events";
import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { soon } from "../../test/kit/wait.ts";
import { type HttpCall, callHttp, keepConnections } from "./http-call.ts";

async function start(answer: Parameters<typeof createServer>[1]): Promise<Server & { url: URL }> {
  const server = createServer(answer as never).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return Object.assign(server, { url: new URL(`http://127.0.0.1:${port}/in?a=1`) });
}

const CALL: Omit<HttpCall, "url"> = {
  method: "POST",
  headers: { "x-twice": ["a", "b"] },
  body: "hello",
  answerBytesMax: 1_000,
  connectMsMax: 5_000,
  idleMsMax: 5_000,
  agent: false,
};

test("sends method, path, headers and a body with its length, and reads the answer", async (t) => {
  const server = await start((request, response) => {
    const { url, headers } = request;
    const seen = [url, headers["x-twice"], headers["content-length"]];
    response.writeHead(201, { "retry-after": "7" }).end(seen.join(" "));
  });
  t.after(() => server.close());
  assert.deepEqual(await callHttp({ ...CALL, url: server.url }), {
    status: 201,
    retryAfter: "7",
    text: "/in?a=1 a, b 5",
  });
});

test("cuts an answer without end, and closes its connection", async (t) => {
  let isClosed: Promise<unknown> = Promise.resolve();
  const server = await start((_request, response) => {
    isClosed = once(response, "close");
    response.write("x".repeat(600));
    response.write("y".repeat(600));
  });
  t.after(() => server.close());
  const { text } = await callHttp({ ...CALL, url: server.url });
  assert.equal(text, "x".repeat(600) + "y".repeat(400));
  await isClosed;
});

test("an answer that does not come, or does not end, fails as late", async (t) => {
  const server = await start((request, response) => void (request.url === "/half" && response.write("begun")));
  t.after(() => server.close());
  for (const path of ["/none", "/half"]) {
    const call = callHttp({ ...CALL, url: new URL(path, server.url), idleMsMax: 20 });
    await assert.rejects(call, { code: "ANSWER_LATE" }, path);
  }
});

test("keeps its connection for the next call, until the agent is destroyed", async (t) => {
  const ports: (number | undefined)[] = [];
  const server = await start((request, response) => {
    ports.push(request.socket.remotePort);
    if (request.url !== "/hang") response.end();
  });
  t.after(() => server.close());
  const agent = keepConnections(server.url, 1);
  for (let call = 0; call < 2; call += 1) await callHttp({ ...CALL, agent, url: server.url });
  assert.equal(new Set(ports).size, 1);
  const arrived = once(server, "request");
  const hanging = callHttp({ ...CALL, agent, url: new URL("/hang", server.url) });
  await arrived;
  agent.destroy();
  await assert.rejects(hanging, { code: "ECONNRESET" });
});

test("an answer that switches to another protocol fails as none", async (t) => {
  const server = await start(() => {});
  server.on("upgrade", (_request, socket) => {
    socket.end("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: tea\r\n\r\n");
  });
  t.after(() => server.close());
  const headers = { connection: "upgrade", upgrade: "tea" };
  const call = callHttp({ ...CALL, url: server.url, headers });
  await assert.rejects(soon(call, "its end", 5_000), { code: "ANSWER_INCOMPLETE" });
});
