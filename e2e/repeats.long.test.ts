import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { startReceiver } from "../test/kit/servers/receiver.ts";
import { setUpAccount } from "../test/kit/process/account.ts";
import { newFolder } from "../test/kit/folder.ts";
import { conversationRecord } from "../test/kit/process/records.ts";
import { type Answer, type Running, drained, freePort, startService } from "../test/kit/process/running.ts";

const POSTS = 200;
const CRASHES = 3;

test("one conversation posted 200 times at once, mixed with crashes, is one event and one delivery", async (t) => {
  using folder = newFolder();
  await using receiver = await startReceiver();
  const options = { dataDir: `${folder.path}/data`, port: await freePort() };
  await setUpAccount({ dataDir: options.dataDir, assistants: { sales: receiver.url } });
  const conversation = conversationRecord(randomUUID(), "sales");

  const answers: Answer[] = [];
  for (let crash = 0; crash < CRASHES; crash += 1) {
    await using service = await startService(options);
    const posts = postMany(service, conversation, answers);
    await Promise.race(posts);
    // Some have their answer, the others are at any stage of it.
    await service.crash();
    await Promise.all(posts);
  }
  await using service = await startService(options);
  const before = answers.length;
  await Promise.all(postMany(service, conversation, answers));
  await drained(service);

  assert.equal(answers.length - before, POSTS, "the last wave is answered in full");
  assert.deepEqual(
    [...new Set(answers.map(({ status }) => status))].filter((status) => status !== 200 && status !== 202),
    [],
  );
  assert.equal(new Set(answers.map(({ json }) => json["event_id"])).size, 1);
  const firsts = answers.filter(({ json }) => json["duplicate"] === false);
  assert.ok(firsts.length <= 1, `${firsts.length} answers say that theirs was the first`);
  assert.ok(answers.every(({ status, json }) => (status === 202) === (json["duplicate"] === false)));
  const webhookIds = new Set(receiver.requests.map(({ headers }) => headers["webhook-id"]));
  t.diagnostic(
    `${(CRASHES + 1) * POSTS} posts, ${CRASHES} crashes: ${answers.length} answers, one event; ` +
      `${webhookIds.size} delivery, received ${receiver.requests.length} times`,
  );
  assert.equal(webhookIds.size, 1);
  assert.equal(new Set(receiver.requests.map(({ body }) => body.toString("utf8"))).size, 1);
  // A crash may have come between the receiver's answer and its settlement; nothing else may send it again.
  assert.ok(receiver.requests.length <= 1 + CRASHES);

  // The same visitor comes back: the sample's lead is in both.
  const returned = await service.post("chat-conversations", conversationRecord(randomUUID(), "sales"));
  await drained(service);
  assert.equal(returned.status, 202);
  assert.notEqual(returned.json["event_id"], answers[0]?.json["event_id"]);
  assert.equal(new Set(receiver.requests.map(({ headers }) => headers["webhook-id"])).size, 2);
});

/** All at once, on a connection each. A post that the crash cut off has no answer. */
function postMany(service: Running, record: string, answers: Answer[]): Promise<unknown>[] {
  return Array.from({ length: POSTS }, () =>
    service.post("chat-conversations", record).then(
      (answer) => answers.push(answer),
      () => null,
    ),
  );
}
