import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AttemptView, DeliveryDetail, SentBodyView } from "../../../src/dashboard/contract/deliveries.ts";
import { bodyPlace, listBodies } from "./sent-bodies.ts";
import { sentText } from "./sent-text.ts";

const attempt = (number: number, sent: number | null, status = "503"): AttemptView =>
  ({ number, sent, outcome: { class: status === "body" ? "body" : "server_error" } }) as AttemptView;
const made = (body: string | null, changes: Partial<SentBodyView> = {}): SentBodyView => ({
  kind: "template",
  body,
  differs: false,
  ...changes,
});
const delivery = (
  attempts: readonly AttemptView[],
  sentBodies: readonly SentBodyView[] = [],
  body: string | null = "{}",
): Pick<DeliveryDetail, "attempts" | "sentBodies" | "body"> => ({ attempts, sentBodies, body });
const headings = (detail: ReturnType<typeof delivery>) =>
  listBodies(detail).map(({ heading, label, text }) => [heading, label, text]);

describe("the bodies of a delivery", () => {
  test("are one where every attempt has sent the event", () => {
    const detail = delivery([attempt(1, null), attempt(2, null)]);
    assert.deepEqual(headings(detail), [["Body of every attempt", "The event", "{}"]]);
    assert.equal(bodyPlace(attempt(1, null), detail), "The body is the same in every attempt; it stands below.");
  });

  test("are none before the first attempt, which may send another body than the event", () => {
    assert.deepEqual(headings(delivery([])), [["Event", "The event", "{}"]]);
  });

  test("name their attempts where the template has changed, and the event comes last", () => {
    const attempts = [attempt(1, 0), attempt(2, 0), attempt(3, 1)];
    const detail = delivery(attempts, [made('{"a":1}'), made('{"a":2}', { kind: "slack" })]);
    assert.deepEqual(headings(detail), [
      ["Body of attempts 1 and 2", "Template (1)", '{"a":1}'],
      ["Body of attempt 3", "Slack message (2)", '{"a":2}'],
      ["Event", "The event", "{}"],
    ]);
    assert.equal(bodyPlace(attempt(2, 0), detail), "The body stands below, as “Body of attempts 1 and 2”.");
  });

  test("has the event among them where some attempts have sent it", () => {
    const detail = delivery([attempt(1, null), attempt(2, 0), attempt(3, null)], [made("{}")]);
    assert.deepEqual(
      listBodies(detail).map(({ heading }) => heading),
      ["Body of attempts 1 and 3", "Body of attempt 2"],
    );
  });

  test("passes over an attempt whose body could not be made", () => {
    const detail = delivery([attempt(1, null, "body"), attempt(2, 0)], [made('{"a":1}')]);
    assert.deepEqual(
      listBodies(detail).map(({ heading }) => heading),
      ["Body of attempt 2", "Event"],
    );
    assert.equal(bodyPlace(attempt(1, null, "body"), detail), "No body was sent.");
  });

  test("say why one cannot be shown, and that one is not what was sent", () => {
    const one = [attempt(1, 0)];
    const note = (...of: Parameters<typeof delivery>) => listBodies(delivery(...of))[0]?.note ?? assert.fail();
    assert.match(note(one, [made(null)], null), /^It was made of the event, whose payload .* was deleted\.$/);
    assert.match(note(one, [made(null)]), /^It can’t be made again/);
    assert.match(note(one, [made("{}", { differs: true })]), /^This is not what was sent/);
    assert.equal(note(one, [made("{}")]), "");
  });
});

test("what an attempt has sent is known where it was made again to the byte", () => {
  const detail = delivery([], [made('{"a":1}'), made('{"a":2}', { differs: true }), made(null)]);
  const sent = (...of: Parameters<typeof attempt>) => sentText(attempt(...of), detail);
  assert.deepEqual(
    [sent(1, null), sent(1, 0), sent(1, 1), sent(1, 2), sent(1, null, "body")],
    ["{}", '{"a":1}', null, null, null],
  );
});
