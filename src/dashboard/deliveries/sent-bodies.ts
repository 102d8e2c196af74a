/**
 * What the attempts of a delivery have sent where that was not the event: made again from the texts that they name and
 * the event's body, and compared with what was sent. Attempts that have sent the same share it.
 */
import type { BodyText, WrittenText } from "../../bodies/body-text.ts";
import { makeAgain } from "../../bodies/sent-body.ts";
import type { AttemptRecord, SentBody } from "../../domain/attempt.ts";
import type { Store } from "../../store/contract/store.ts";
import type { StoredDelivery } from "../../store/contract/log.ts";
import type { SentBodyView } from "../contract/deliveries.ts";
import type { SentFacts } from "../explain/evidence.ts";

export interface SentBodies {
  readonly views: readonly SentBodyView[];
  /** `null`: the attempt has sent the event, or nothing. */
  find(attempt: AttemptRecord): SentFacts | null;
}

export async function findSentBodies(
  store: Pick<Store, "loadBodyTexts">,
  accountId: string,
  stored: StoredDelivery,
): Promise<SentBodies> {
  const sent = new Map(
    stored.attempts.flatMap((attempt) => (attempt.sent ? [[toKey(attempt.sent), attempt.sent]] : [])),
  );
  if (sent.size === 0) return { views: [], find: () => null };
  const ids = [...new Set(Array.from(sent.values(), ({ textId }) => textId))];
  const texts = new Map((await store.loadBodyTexts({ accountId, ids })).map((text) => [text.id, text]));
  const views = Array.from(sent.values(), (each) => show(each, texts.get(each.textId), stored));
  const places = [...sent.keys()];
  return {
    views,
    find(attempt) {
      const place = attempt.sent ? places.indexOf(toKey(attempt.sent)) : -1;
      const view = views[place];
      if (view === undefined) return null;
      return { place, kind: view.kind, bytes: view.body === null ? null : Buffer.byteLength(view.body) };
    },
  };
}

const toKey = ({ textId, sha256 }: SentBody): string => `${textId}:${sha256}`;

/** A text that is gone was a template, as far as anybody can tell. */
function show(sent: SentBody, text: BodyText | undefined, stored: StoredDelivery): SentBodyView {
  const kind = text === undefined ? "template" : (JSON.parse(text.text) as WrittenText).kind;
  const made = makeAgain(sent, text, stored);
  return { kind, body: made?.body ?? null, differs: made?.differs ?? false };
}
