import assert from "node:assert/strict";
import { test } from "node:test";
import { noteMethods } from "./other-methods.ts";
import { createHttpServer } from "./server.ts";

test("an address says which methods it takes, below its prefix and with HEAD where there is GET", async () => {
  const server = createHttpServer({ onError: () => {} });
  await server.register(
    async (scope) => {
      const methods = noteMethods(scope);
      scope.get("/things/:id", () => "one");
      scope.delete("/things/:id", { config: { authHook: () => "unauthenticated" } }, () => "gone");
      methods.refuseOthers();
    },
    { prefix: "/below" },
  );
  const url = "/below/things/1";
  const refused = await server.inject({ method: "POST", url });
  assert.equal(refused.statusCode, 405);
  assert.equal(refused.headers.allow, "GET, HEAD, DELETE");
  assert.equal(refused.json<{ detail: string }>().detail, "This address takes GET, HEAD, DELETE, not POST.");
  for (const method of ["PUT", "PATCH", "OPTIONS", "TRACE", "QUERY"]) {
    const { statusCode, headers } = await server.inject({ method: method as "PUT", url });
    assert.deepEqual([method, statusCode, headers.allow], [method, 405, "GET, HEAD, DELETE"]);
  }
  assert.equal((await server.inject({ method: "HEAD", url })).statusCode, 200);
  assert.equal((await server.inject({ method: "POST", url: "/below/others" })).statusCode, 404);
  await server.close();
});
