/** `bellwire listen` that fails on purpose: each way over a real socket, and the share that a seed repeats. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { request } from "undici";
import { createFakeIo } from "../../test/kit/world/fake-io.ts";
import { listen } from "./listen.ts";
import { readFailing } from "./listen-failing.ts";

const SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";

async function start(...args: string[]) {
  const command = createFakeIo(["--secret", SECRET, "--port", "0", ...args]);
  const ended = listen(command.io);
  const url = /http:\S+(?=;)/.exec(await command.printed(/^Listening at/))?.[0] ?? "";
  return {
    ...command,
    /** The status, or how the connection ended. */
    async post(): Promise<number | string> {
      try {
        const answer = await request(url, { method: "POST", body: "{}", headersTimeout: 1_000 });
        await answer.body.dump();
        return answer.statusCode;
      } catch (error) {
        return (error as { code: string }).code;
      }
    },
    async [Symbol.asyncDispose]() {
      command.stop();
      await ended;
    },
  };
}

describe("bellwire listen fails on purpose", () => {
  for (const status of [503, 410, 307, 204]) {
    test(`with --status ${status}, and says so beside the webhook`, async () => {
      await using listening = await start("--status", String(status));
      assert.equal(await listening.post(), status);
      assert.ok(listening.err.includes(`  answered ${status} on purpose`));
      assert.match(listening.out[0] ?? "", /^✗ .* NOT VERIFIED/);
    });
  }

  test("with --reset", async () => {
    await using listening = await start("--reset");
    assert.match(String(await listening.post()), /^(?:ECONNRESET|UND_ERR_SOCKET)$/);
    assert.ok(listening.err.includes("  connection reset on purpose"));
  });

  test("with --hang, and still stops at once", { timeout: 20_000 }, async () => {
    await using listening = await start("--hang");
    const posted = listening.post();
    await listening.printed(/not answered, on purpose/);
    await listening[Symbol.asyncDispose]();
    assert.match(String(await posted), /^(?:ECONNRESET|UND_ERR_SOCKET|UND_ERR_HEADERS_TIMEOUT)$/);
  });

  test("with --flaky, the same webhooks for the same seed", async () => {
    const kinds = (seed: string, flaky = "0.3"): string[] => {
      const choose = readFailing({ hang: false, reset: false, flaky, seed });
      assert.ok(choose.ok);
      return Array.from({ length: 1_000 }, () => choose.value().kind);
    };
    assert.deepEqual(kinds("7"), kinds("7"));
    assert.notDeepEqual(kinds("7"), kinds("8"));
    const failed = kinds("7").filter((kind) => kind === "status").length;
    assert.ok(failed > 250 && failed < 350, `${failed} of 1,000`);
    assert.deepEqual(new Set(kinds("1", "0")), new Set(["verdict"]));
    assert.deepEqual(new Set(kinds("1", "1")), new Set(["status"]));
  });

  test("with --flaky and another way to fail", async () => {
    await using listening = await start("--flaky", "0.5", "--status", "500", "--seed", "3");
    const statuses = new Set([await listening.post(), await listening.post()]);
    for (let n = 0; n < 8; n += 1) statuses.add(await listening.post());
    assert.deepEqual(statuses, new Set([401, 500]));
  });

  const WRONG: readonly (readonly [what: string, args: readonly string[], message: RegExp])[] = [
    ["two ways at once", ["--hang", "--reset"], /choose one/],
    ["a status that is none", ["--status", "99"], /--status "99" must be .* 599/],
    ["a share above one", ["--flaky", "30"], /--flaky "30" must be a share from 0 to 1/],
    ["a share in words", ["--flaky", "often"], /must be a share/],
    ["a seed in words", ["--seed", "x"], /--seed "x"/],
  ];
  for (const [what, args, message] of WRONG) {
    test(`but not ${what}`, async () => {
      const { io, err } = createFakeIo(["--secret", SECRET, ...args]);
      assert.equal(await listen(io), 2);
      assert.match(err.join("\n"), message);
    });
  }
});
