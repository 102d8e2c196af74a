/**
 * Every reference receiver against the shared vectors: 200 for what is genuine, 401 for everything else. Languages that
 * this machine cannot run are skipped by name; those that take long to build run in `npm run examples` only.
 */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { LANGUAGES, type Language } from "./languages.ts";
import { type RunningReceiver, bringLanguages, isOnThisMachine, runReceiver } from "./run-receiver.ts";

interface Vector {
  readonly name: string;
  readonly secrets: readonly string[];
  readonly body: string;
  /** Any will do where it is left out. */
  readonly webhook_id?: string;
  /** `null`: the header is not sent. */
  readonly signature: string | null;
  readonly status: number;
  /** Whether the receiver has to tell it from a real event; it does not when left out. */
  readonly is_test?: boolean;
}

const VECTORS = JSON.parse(readFileSync(new URL("vectors.json", import.meta.url), "utf8")) as readonly Vector[];
const IS_ALL = process.env["EXAMPLES"] === "all";

bringLanguages();

describe("the vectors themselves", () => {
  for (const { name, secrets, body, signature, status } of VECTORS) {
    it(`${name}: ${status}`, () => {
      const genuine = secrets.some(
        (secret) => createHmac("sha256", secret).update(body).digest("base64") === signature,
      );
      assert.equal(status, genuine ? 200 : 401);
    });
  }
});

for (const language of LANGUAGES) {
  describe(`the receiver in ${language.name}`, { skip: whyNot(language) }, () => {
    it("answers each vector with its status", async () => {
      for (const secrets of [1, 2])
        await answersAll(
          language,
          VECTORS.filter((one) => one.secrets.length === secrets),
        );
    });

    it("answers 401 to a request without a body, as a scanner sends it", async () => {
      await using receiver = await runReceiver(language, [SECRET]);
      const { ifLengthless = 401 } = language;
      for (const [head, status] of [
        [[], ifLengthless],
        [["content-length: 0"], 401],
        [["x-service-signature: AAAA"], ifLengthless],
      ] as const)
        assert.equal(await postBare(receiver, head), status, head.join());
      assert.doesNotMatch(receiver.printed.text, /^\s+(?:at|File) /m, "a stack was printed");
    });

    it("tells a test from a real event", async () => {
      await using receiver = await runReceiver(language, [SECRET]);
      for (const vector of VECTORS) {
        if (vector.status !== 200 || vector.secrets.length > 1) continue;
        const { webhook_id: id = "dlv_1", is_test: isTest = false } = vector;
        assert.equal(await post(receiver, vector), 200);
        await receiver.printed.line(new RegExp(`^(?:\\[.*\\] )?${isTest ? "test" : "event"} ${id}\\b`));
      }
    });

    it("does not start, or trusts nobody, when there is no secret", async () => {
      for (const secrets of [[""], ["", " "]]) {
        await using receiver = await runReceiver(language, secrets).catch(endedAtItsStart);
        if (receiver === null) continue;
        for (const key of secrets)
          assert.notEqual(await postForStatus(receiver, key), 200, `"${key}" of ${secrets.length}`);
      }
    });

    it("passes over a comma too many", async () => {
      await using receiver = await runReceiver(language, ["", SECRET, "", " "]);
      assert.equal(await postForStatus(receiver, SECRET), 200);
      for (const key of ["", " "]) assert.equal(await postForStatus(receiver, key), 401, `"${key}"`);
    });
  });
}

const SECRET = VECTORS[0]?.secrets[0] ?? "";

/** Any other reason, such as a program that was never ready, is a failure. */
function endedAtItsStart(error: unknown): null {
  assert.match(String(error), /ended at its start/);
  return null;
}

async function postForStatus(receiver: RunningReceiver, key: string): Promise<number> {
  const { body = "" } = VECTORS[0] ?? {};
  return await post(receiver, { body, signature: createHmac("sha256", key).update(body).digest("base64") });
}

type Sent = Pick<Vector, "body" | "signature" | "webhook_id">;

async function post({ url }: RunningReceiver, { body, signature, webhook_id: id = "dlv_1" }: Sent): Promise<number> {
  const signed: Record<string, string> = signature === null ? {} : { "x-service-signature": signature };
  const headers = { "content-type": "application/json", "webhook-id": id, ...signed };
  return (await fetch(url, { method: "POST", headers, body })).status;
}

/** By hand: `fetch` sends a content-length of 0 with it, which a scanner leaves out. */
async function postBare({ url }: RunningReceiver, headers: readonly string[]): Promise<number> {
  const { hostname, port, pathname } = new URL(url);
  const socket = connect(Number(port), hostname);
  const lines = [`POST ${pathname} HTTP/1.1`, `host: ${hostname}`, "connection: close", ...headers, "", ""];
  socket.end(lines.join("\r\n"));
  const answer = await text(socket);
  return Number(/^HTTP\/1\.[01] (\d{3})/.exec(answer)?.[1]);
}

function whyNot(language: Language): string | false {
  if (language.isSlow && !IS_ALL) return "takes long to build: npm run examples";
  return isOnThisMachine(language) ? false : `${language.probe[0]} cannot run it on this machine`;
}

async function answersAll(language: Language, vectors: readonly Vector[]): Promise<void> {
  await using receiver = await runReceiver(language, vectors[0]?.secrets ?? []);
  for (const vector of vectors) {
    assert.equal(await post(receiver, vector), vector.status, `${language.name}, ${vector.name}`);
  }
}
