/** `bellwire send` and `bellwire dashboard-link` against the whole program on a real socket. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { API_KEY, createTestApp } from "../../test/kit/world/app-under-test.ts";
import { signIn } from "../../test/kit/world/signed-in.ts";
import { createFakeIo } from "../../test/kit/world/fake-io.ts";
import type { Command } from "./command.ts";
import { dashboardLink } from "./dashboard-link.ts";
import { send } from "./send.ts";
import { erase } from "./erase.ts";
import { sessions } from "./sessions.ts";
import { demoViewed } from "../events/demo-viewed.ts";
import { chatConversationCompleted } from "../events/chat-conversation-completed.ts";

const FOLDER = mkdtempSync(join(tmpdir(), "bellwire-send-"));
const SESSION = demoViewed.example;

let service: Awaited<ReturnType<typeof createTestApp>>;
/** Settings with which the commands find the service. */
let env: Record<string, string> = {};
/** A server that is not Bellwire. */
let stranger: Server;

before(async () => {
  service = await createTestApp();
  const { port } = await service.app.start();
  env = { BELLWIRE_PORT: String(port), BELLWIRE_API_KEY: API_KEY };
  await service.put("/v1/accounts/main", { name: "Main", plan: "starter", app_url: "https://app.example.com" });
  stranger = createServer((_request, response) => response.end("<html>")).listen(0, "127.0.0.1");
  await once(stranger, "listening");
});

after(async () => {
  await service.app.stop();
  stranger.close();
  rmSync(FOLDER, { recursive: true, force: true });
});

async function run(command: Command, args: readonly string[], settings = env) {
  const { io, out, err } = createFakeIo(args, settings);
  const code = await command(io);
  return { code, out: out.join("\n"), err: err.join("\n") };
}

function file(name: string, text: string): string {
  const path = join(FOLDER, name);
  writeFileSync(path, text);
  return path;
}

describe("bellwire send", () => {
  test("sends a fresh sample of each family", async () => {
    for (const args of [[], ["--event", demoViewed.type], ["--event", chatConversationCompleted.type]]) {
      const { code, out, err } = await run(send, args);
      assert.equal(code, 0, err);
      assert.match(out, /^✓ [0-9a-f-]{36}  accepted as evt_\w+, 0 deliveries$/);
    }
  });

  test("says why a record went nowhere", async () => {
    assert.match((await run(send, [])).err, /no alert with Webhooks switched on/);
    assert.match(
      (await run(send, ["--event", chatConversationCompleted.type])).err,
      /its chat assistant has no Webhook URL/,
    );
  });

  test("sends many samples as one batch, each with an id of its own", async () => {
    const { code, out } = await run(send, ["--count", "3"]);
    assert.equal(code, 0);
    const ids = [...out.matchAll(/^✓ (\S+)/gm)].map(([, id]) => id);
    assert.equal(new Set(ids).size, 3);
    assert.match(out, /^3 accepted, 0 known already, 0 refused$/m);
  });

  test("sends a file as it is, and says which records are known already", async () => {
    const path = file("one.json", JSON.stringify({ ...SESSION, id: "11111111-1111-4111-8111-111111111111" }));
    assert.match((await run(send, ["--event", demoViewed.type, "--file", path])).out, /^✓ 11111111-/);
    const again = await run(send, ["--event", demoViewed.type, "--file", path]);
    assert.equal(again.code, 0);
    assert.match(again.out, /^= 11111111-\S+  known already as evt_\w+: nothing more is sent$/);
  });

  test("names the line and each field of a record that is refused, and ends with 1", async () => {
    const good = JSON.stringify({ ...SESSION, id: "22222222-2222-4222-8222-222222222222" });
    const path = file("some.ndjson", `${good}\n\n{"id":"\\u001b[2J","name":5}\nnonsense\n`);
    const { code, out } = await run(send, ["--event", demoViewed.type, "--file", path]);
    assert.equal(code, 1);
    assert.match(out, /^✓ 22222222-/m);
    assert.match(out, /^✗ line 3 .*\n  id must be/m);
    assert.match(out, /^  name must be/m);
    assert.match(out, /^✗ line 4 .*not valid JSON/m);
    assert.match(out, /^1 accepted, 0 known already, 2 refused$/m);
    // oxlint-disable-next-line no-control-regex -- none of them is what is asked for
    assert.doesNotMatch(out, /[\u0000-\u0009\u000b-\u001f]/);
  });

  test("tells every field of a single record that is refused", async () => {
    const { code, err } = await run(send, ["--event", demoViewed.type, "--file", file("bad.json", '{"id":1}')]);
    assert.equal(code, 1);
    assert.match(err, /^The record has fields that cannot be accepted:\n  id must be/);
  });

  test("reads the key from a file", async () => {
    const { BELLWIRE_PORT = "" } = env;
    const path = file("key", `${API_KEY}\n`);
    assert.equal((await run(send, ["--key-file", path], { BELLWIRE_PORT })).code, 0);
    assert.equal((await run(send, ["--key", API_KEY], { BELLWIRE_PORT })).code, 0);
    const dataDir = join(FOLDER, "data");
    const missing = await run(send, [], { BELLWIRE_PORT, BELLWIRE_DATA_DIR: dataDir });
    assert.equal(missing.code, 1);
    assert.match(missing.err, /^There is no intake key: .*intake-key cannot be read \(ENOENT\).*--key-file.*day-two/);
    assert.ok(missing.err.includes(join(resolve(dataDir), "intake-key")), "it says where it looked");
  });
});

const eraseJane: Command = (io) => erase({ ...io, args: ["--email", "jane@example.com", ...io.args] });

const COMMANDS: readonly (readonly [name: string, command: Command])[] = [
  ["erase", eraseJane],
  ["send", send],
  ["dashboard-link", dashboardLink],
  ["sessions", sessions],
];

for (const [name, command] of COMMANDS) {
  describe(`bellwire ${name} says what to do when`, () => {
    test("no service is there", async () => {
      const { code, err } = await run(command, ["--url", "http://127.0.0.1:9"]);
      assert.equal(code, 1);
      assert.match(
        err,
        /^No Bellwire answers at http:\/\/127\.0\.0\.1:9: nothing accepts .* \(ECONNREFUSED\)\.\n.*bellwire serve/,
      );
    });

    test("something else is there", async () => {
      const { port } = stranger.address() as AddressInfo;
      const { code, err } = await run(command, ["--url", `http://127.0.0.1:${port}`]);
      assert.equal(code, 1);
      assert.match(err, /answered 200, but not as Bellwire does/);
    });

    test("the key is wrong", async () => {
      const { code, err } = await run(command, ["--key", "wrong-key-0123456789"]);
      assert.equal(code, 1);
      assert.match(err, /not an intake key.*\nThe key came from --key\.$/);
      assert.doesNotMatch(err, /wrong-key-0123456789/);
    });

    test("the account is missing", async () => {
      const { code, err } = await run(command, ["--account", "acct-9"]);
      assert.equal(code, 1);
      assert.match(err, /There is no account "acct-9"/);
      assert.match(err, /curl -X PUT http:\/\/127\.0\.0\.1:\d+\/v1\/accounts\/acct-9 /);
      assert.ok(!err.includes(API_KEY), "the key is named, not shown");
    });

    test("the account's id cannot be one", async () => {
      const { code, err } = await run(command, ["--account", "a/../b"]);
      assert.equal(code, 1);
      assert.match(err, /account_id must have 1 to 128 characters/);
    });

    test("the address is none", async () => {
      const { code, err } = await run(command, ["--url", "localhost:7070"]);
      assert.equal(code, 1);
      assert.match(err, /^--url must be the address/);
    });
  });
}

const MISUSES: readonly (readonly [args: readonly string[], message: RegExp])[] = [
  [["--event", "demo_view"], /--event: There is no event type "demo_view": did you mean demo_viewed\?/],
  [["--count", "0"], /--count "0" must be a whole number from 1 to 1000/],
  [["--count", "1001"], /from 1 to 1000/],
  [["--file", "a.json"], /--file needs --event/],
  [["--file", "a.json", "--event", "x"], /There is no event type "x": there are 2, such as demo_viewed, chat_/],
  [["--file", "a.json", "--event", demoViewed.type, "--count", "2"], /--count is for samples/],
  [["--file", "a.txt", "--event", demoViewed.type], /must end in \.json/],
  [["--file", "no-such.json", "--event", demoViewed.type], /cannot be read \(ENOENT\)/],
  [["--file", file("empty.ndjson", "\n\n"), "--event", demoViewed.type], /has no record in it/],
];

describe("bellwire send refuses", () => {
  for (const [args, message] of MISUSES) {
    test(args.map((arg) => arg.replace(FOLDER, "…")).join(" "), async () => {
      const { code, out, err } = await run(send, args);
      assert.equal(code, 2);
      assert.match(err, message);
      assert.equal(out, "");
    });
  }
});

describe("bellwire erase", () => {
  test("prints what was taken out, and wants an address", async () => {
    const { code, out } = await run(erase, ["--email", "nobody.knows@example.com"]);
    assert.deepEqual([code, out.split("\n")[0]], [0, "0\tevents without their bodies now"]);
    const bad = await run(erase, []);
    assert.equal(bad.code, 2);
    assert.match(bad.err, /--email is missing/);
  });
});

describe("bellwire sessions", () => {
  const BEN = "ben@example.com";
  const signInBen = () => signIn(service.app, { accountId: "people", person: BEN, role: "viewer" });
  const people = (...args: string[]) => run(sessions, ["--account", "people", ...args]);

  test("lists who is signed in, and signs out one person or everybody", async () => {
    await service.put("/v1/accounts/people", { name: "P", plan: "free", app_url: "https://app.example.com" });
    assert.deepEqual(await people(), { code: 0, out: "", err: "No one is signed in." });
    const ben = await signInBen();
    await signIn(service.app, { accountId: "people", person: "ana@example.com" });
    const listed = await people("--person", BEN);
    const [head, line, ...more] = listed.out.split("\n");
    assert.equal(head, "person\trole\tsince\tlast_seen\texpires_at");
    assert.match(line ?? "", /^ben@example\.com\tviewer\t\d{4}-.*Z\t\d{4}-.*Z\t\d{4}-.*Z$/);
    assert.deepEqual(more, []);
    const ended = await people("--end", "--person", BEN);
    assert.deepEqual([ended.code, ended.out], [0, `Ended 1 session and 0 unused sign-in links of ${BEN}.`]);
    assert.equal((await ben.call("GET /session")).status, 401);
    assert.equal((await people("--end", "--everybody")).out, "Ended 1 session and 0 unused sign-in links.");
    assert.equal((await people()).err, "No one is signed in.");
  });

  const MISUSED: readonly (readonly [args: readonly string[], message: RegExp])[] = [
    [["--end"], /--end needs --person, or --everybody/],
    [["--everybody"], /--everybody is for --end/],
    [["--end", "--everybody", "--person", BEN], /exclude each other/],
    [["--end", "--person", ""], /--person is empty/],
  ];
  for (const [args, message] of MISUSED) {
    test(`signs no one out when called as ${JSON.stringify(args.join(" "))}`, async () => {
      const { code, err } = await run(sessions, args);
      assert.equal(code, 2);
      assert.match(err, message);
    });
  }
});

describe("bellwire dashboard-link", () => {
  test("prints the link alone on standard output, and its end beside it", async () => {
    const { code, out, err } = await run(dashboardLink, ["--account", "main"]);
    assert.equal(code, 0);
    assert.match(out, /^http:\/\/localhost:\d+\/sign-in\/[\w-]{43}$/);
    assert.match(err, /^It works once, until \d{4}-\d\d-\d\dT[\d:.]+Z\.$/);
  });

  for (const [args, person, role] of [
    [[], "Account owner", "owner"],
    [["--person", "ben@example.com", "--role", "viewer"], "ben@example.com", "viewer"],
  ] as const) {
    test(`${args.join(" ") || "nothing said"} signs in ${person} as ${role}`, async () => {
      const { out } = await run(dashboardLink, args);
      const token = new URL(out).pathname.split("/").at(-1);
      const headers = { "sec-fetch-site": "same-origin", "content-type": "application/json" };
      const request = { method: "POST", url: "/dashboard/sign-in", headers, payload: { token } } as const;
      const session = (await service.app.server.inject(request)).json();
      assert.deepEqual([session.person, session.role], [person, role]);
    });
  }

  test("a role that there is not is a misuse, and a person that cannot be is refused in words", async () => {
    const misused = await run(dashboardLink, ["--role", "admin"]);
    assert.equal(misused.code, 2);
    assert.match(misused.err, /--role must be one of owner, viewer/);
    const refused = await run(dashboardLink, ["--person", "Ana\nBen"]);
    assert.equal(refused.code, 1);
    assert.match(refused.err, /person must be a name or an e-mail address/);
  });

  test("tabs and tokens go along as often as they are given, and a wrong one is refused in words", async () => {
    const embed = ["--embed", "/settings/alerts", "--tab", "/settings/alerts", "--tab", "/deliveries"];
    const { out } = await run(dashboardLink, [...embed, "--look", "text=#e8e6e3", "--look", "dense=true"]);
    assert.match(out, /&tab=%2Fdeliveries&theme=dark&text=%23e8e6e3&dense=true$/);
    const refused = await run(dashboardLink, [...embed, "--look", "radius"]);
    assert.equal(refused.code, 1);
    assert.match(refused.err, /embed\.look\.radius must be/);
    const misused = await run(dashboardLink, ["--look", "dense=true"]);
    assert.equal(misused.code, 2);
    assert.match(misused.err, /--look is for --embed/);
  });

  test("a service below a path is called there, with --url", async () => {
    const { code, err } = await run(dashboardLink, ["--url", `http://localhost:${env.BELLWIRE_PORT}/missing`]);
    assert.equal(code, 1);
    assert.match(err, /missing\/v1\/accounts\/main\/dashboard-links/);
  });
});
