/**
 * Links of e-mails, as readers, mail scanners, mail programs and strangers use them: to open one changes nothing, its
 * button does what the reader wants, and no session is needed.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { makeAccount } from "../../../test/kit/make.ts";
import { createTestApp } from "../../../test/kit/world/app-under-test.ts";
import { type MailServer, startMailServer } from "../../../test/kit/servers/mail-server.ts";
import { SAME_ORIGIN, type SignedIn, signIn } from "../../../test/kit/world/signed-in.ts";
import { putAccount } from "../../accounts/put-account.ts";
import type { FailureMailAnswer, MailLinkAnswer } from "../contract/failure-mail.ts";

const ACCOUNT = "acme";
const JSON_TYPE = { "content-type": "application/json" };
const FORM_TYPE = { "content-type": "application/x-www-form-urlencoded" };

let stack: AsyncDisposableStack;
let app: Awaited<ReturnType<typeof createTestApp>>["app"];
let mail: MailServer;
let owner: SignedIn;

before(async () => {
  await using building = new AsyncDisposableStack();
  mail = building.use(await startMailServer());
  ({ app } = building.use(await createTestApp({ BELLWIRE_SMTP_URL: mail.url })));
  const name = 'Acme <script>alert("1")</script> https://evil.example';
  await putAccount(app.accounts, makeAccount({ id: ACCOUNT, name, plan: "growth" }));
  owner = await signIn(app, { accountId: ACCOUNT });
  await app.start();
  stack = building.move();
});
after(() => stack.disposeAsync());

interface Links {
  readonly confirm: string;
  readonly stop: string;
}

let emails = 0;

/** Adds an address and waits for its e-mail. */
async function addAddress(): Promise<Links & { readonly address: string }> {
  const address = `reader${(emails += 1)}@example.com`;
  const added = await owner.call("POST /failure-mail", { body: { address } });
  assert.equal(added.status, 200, added.text);
  await mail.received(emails);
  const source = mail.mails.find(({ to }) => to.includes(address))?.source ?? "";
  const body = source.slice(source.indexOf("\r\n\r\n")).replaceAll("=\r\n", "");
  const [confirm = "", stop = ""] = [...body.matchAll(/\/mail\/([\w-]{43})/g)].map(([, token = ""]) => token);
  return { address, confirm, stop };
}

const post = (url: string, payload: unknown, headers: Readonly<Record<string, string>> = {}) =>
  app.server.inject({
    method: "POST",
    url,
    headers: { ...JSON_TYPE, ...SAME_ORIGIN, ...headers },
    payload: typeof payload === "string" ? payload : JSON.stringify(payload),
  });
const look = (token: string) => post("/dashboard/mail-link", { token });
const use = (token: string, action: string) => post("/dashboard/mail-link/use", { token, action });

async function readState(address: string): Promise<string | undefined> {
  const { addresses } = (await owner.call("GET /failure-mail")).answer as FailureMailAnswer;
  return addresses.find((each) => each.address === address)?.state;
}

describe("the reader of an e-mail", () => {
  test("opens the page without signing in, is told who asks, and confirms by its button", async () => {
    const { address, confirm } = await addAddress();
    const page = await app.server.inject({ method: "GET", url: `/mail/${confirm}`, headers: { accept: "text/html" } });
    assert.equal(page.statusCode, 200);
    assert.equal(page.headers["referrer-policy"], "no-referrer");
    const answer = (await look(confirm)).json<MailLinkAnswer>();
    const accountName = "Acme script alert( 1 ) script https evi…";
    assert.deepEqual(answer, { purpose: "confirm", accountName, address, state: "waiting", isRemoved: false });
    assert.equal(await readState(address), "waiting", "to open it confirms nothing");
    assert.deepEqual((await use(confirm, "confirm")).json(), { ...answer, state: "confirmed" });
    assert.equal(await readState(address), "confirmed");
    assert.equal((await use(confirm, "confirm")).json().state, "confirmed", "twice is fine");
  });

  test("stops e-mails and starts them again", async () => {
    const { address, stop } = await addAddress();
    assert.equal((await look(stop)).json().purpose, "stop");
    assert.equal((await use(stop, "stop")).json().state, "stopped");
    assert.equal(await readState(address), "stopped");
    assert.equal((await use(stop, "start")).json().state, "confirmed");
  });

  test("is told when the link has been used or leads nowhere, and what to do", async () => {
    const { confirm, stop } = await addAddress();
    await use(confirm, "confirm");
    await use(stop, "stop");
    const used = await use(confirm, "confirm");
    assert.deepEqual([used.statusCode, used.json().code], [410, "mail_link_used"]);
    const unknown = await look("A".repeat(43));
    assert.deepEqual([unknown.statusCode, unknown.json().code], [404, "mail_link_unknown"]);
  });

  test("is named in the audit as who confirmed", async () => {
    const { address, confirm } = await addAddress();
    await use(confirm, "confirm");
    const { entries } = (await owner.call("GET /audit")).answer as { entries: Record<string, string>[] };
    const { person, address: from, action } = entries[0] ?? {};
    assert.deepEqual([person, from, action], [address, "127.0.0.1", "Confirmed failure e-mail by a link"]);
  });
});

describe("a mail program's own button", () => {
  const MULTIPART = '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n';
  for (const [type, payload] of [
    ["application/x-www-form-urlencoded", "List-Unsubscribe=One-Click"],
    ["multipart/form-data; boundary=x", MULTIPART],
  ] as const) {
    test(`stops e-mails by one POST, from anywhere, without a cookie: ${type}`, async () => {
      const { address, stop } = await addAddress();
      const headers = { "content-type": type };
      const answer = await app.server.inject({ method: "POST", url: `/mail/${stop}`, headers, payload });
      assert.equal(answer.statusCode, 204, answer.body);
      assert.equal(await readState(address), "stopped");
    });
  }

  test("confirms nothing, and does nothing without saying what it wants", async () => {
    const { address, confirm, stop } = await addAddress();
    const press = (token: string, payload: string) =>
      app.server.inject({ method: "POST", url: `/mail/${token}`, headers: FORM_TYPE, payload });
    await press(confirm, "List-Unsubscribe=One-Click");
    assert.equal((await press(stop, "a=b")).statusCode, 400);
    assert.equal(await readState(address), "waiting");
  });
});

describe("a stranger", () => {
  const TOKEN = "A".repeat(43);

  test("cannot use a link from another site's page", async () => {
    const { address, confirm } = await addAddress();
    for (const url of ["/dashboard/mail-link", "/dashboard/mail-link/use"]) {
      const elsewhere = { "sec-fetch-site": "cross-site" };
      const answer = await post(url, { token: confirm, action: "confirm" }, elsewhere);
      assert.deepEqual([answer.statusCode, answer.json().code], [403, "foreign_origin"]);
    }
    assert.equal(await readState(address), "waiting");
  });

  test("has 4 KiB for a body", async () => {
    const long = JSON.stringify({ token: TOKEN, x: "x".repeat(4_096) });
    assert.equal((await post("/dashboard/mail-link", long)).statusCode, 413);
    assert.equal((await post("/dashboard/mail-link/use", long)).statusCode, 413);
    assert.equal((await post(`/mail/${TOKEN}`, `a=${"x".repeat(4_096)}`, FORM_TYPE)).statusCode, 413);
  });

  test("guesses twenty times a minute, whatever is sent, and a good link works all the same", async () => {
    const { confirm } = await addAddress();
    const codes: string[] = [];
    for (let n = 0; n < 25; n += 1) {
      const tries = [look(TOKEN), use(TOKEN, "confirm"), post("/dashboard/mail-link", "{")];
      codes.push((await (tries[n % 3] ?? tries[0]))?.json().code);
    }
    assert.equal(codes.at(-1), "too_many_bad_links");
    assert.equal((await look(confirm)).statusCode, 200);
  });
});

describe("an owner", () => {
  test("sees which addresses wait, since when, and when they may be asked again", async () => {
    const { address } = await addAddress();
    const { addresses, isSetUpByOperator } = (await owner.call("GET /failure-mail")).answer as FailureMailAnswer;
    const found = addresses.find((each) => each.address === address);
    assert.equal(isSetUpByOperator, true);
    assert.equal(found?.state, "waiting");
    assert.equal((found?.askAgainAtMs ?? 0) - (found?.confirmation.atMs ?? 0), 300_000);
    const id = found?.id ?? "";
    const again = await owner.call("POST /failure-mail/:id/email", { params: { id } });
    assert.deepEqual([again.status, again.code], [429, "too_many_emails"]);
    const twice = await owner.call("POST /failure-mail", { body: { address: address.toUpperCase() } });
    assert.deepEqual([twice.status, twice.code], [409, "mail_address_known"]);
    assert.equal((await owner.call("DELETE /failure-mail/:id", { params: { id } })).status, 200);
    const back = await owner.call("POST /failure-mail", { body: { address } });
    assert.deepEqual([back.status, back.code], [429, "too_many_emails"], "removing it starts nothing afresh");
  });
});
