/**
 * Bodies that this node makes of events, for webhooks that want another body than the event itself. One is made when
 * its request is built, so that a changed template holds for what still waits, and is dropped when the attempt has
 * ended. What an attempt was made of is kept before the attempt is settled, so that the log can make it again.
 *
 * Invariant: the bodies that are there at once stay below `MADE_CHARS_MAX` and one body more. They come on top of the
 * events' own (`lanes/load.ts`), which wait in lanes and would leave nothing for what their attempts need.
 */
import { type BodyText, bodyTextOf } from "../bodies/body-text.ts";
import { type BodyFault, renderBody } from "../bodies/render-body.ts";
import { type DeliveredEvent, sourceOf } from "../bodies/sent-body.ts";
import type { BodySettings } from "../domain/body.ts";
import type { EventTypes } from "../events/event-types.ts";
import type { Clock } from "../lib/clock.ts";
import { daysMs } from "../lib/duration.ts";
import { assert } from "../lib/assert.ts";
import { ok, type Result } from "../lib/result.ts";
import type { Store } from "../store/contract/store.ts";

/** 32 of the largest. They are there a second time as bytes while they are sent. */
export const MADE_CHARS_MAX = 8 * 1024 * 1024;

/** Guess: each has some hundred bytes. One that is forgotten is kept once more. */
const NOTED_MAX = 10_000;

export interface MadeBody {
  readonly text: BodyText;
  readonly body: string;
}

/** A webhook's delivery, as far as a body is made of it. */
export interface DeliveryOfBody extends DeliveredEvent {
  readonly eventType: string;
  readonly accountId: string;
}

export interface MadeBodiesOptions {
  readonly store: Pick<Store, "keepBodyText">;
  readonly types: Pick<EventTypes, "find">;
  readonly clock: Pick<Clock, "nowMs">;
}

export class MadeBodies {
  readonly #options: MadeBodiesOptions;
  /** Those that are there, by their deliveries. */
  readonly #made = new Map<string, { readonly accountId: string; readonly chars: number }>();
  /** Of each account that has some. */
  readonly #charsOf = new Map<string, number>();
  #chars = 0;
  /** The day on which a text was kept last; the oldest note first. */
  readonly #keptOn = new Map<string, number>();
  readonly #keeping = new Map<string, Promise<void>>();

  constructor(options: MadeBodiesOptions) {
    this.#options = options;
  }

  /**
   * The settings must not want the event itself. `full`: other bodies have to go first. An account may have as much as
   * is free, so that one whose receivers are slow leaves some to others. `release` must follow.
   */
  make(settings: BodySettings, delivery: DeliveryOfBody): Result<MadeBody, BodyFault> | "full" {
    const { id, accountId } = delivery;
    this.release(id);
    if ((this.#charsOf.get(accountId) ?? 0) >= MADE_CHARS_MAX - this.#chars) return "full";
    const made = makeBody(this.#options.types, settings, delivery);
    if (made.ok) {
      this.#made.set(id, { accountId, chars: made.value.body.length });
      this.#add(accountId, made.value.body.length);
    }
    return made;
  }

  /** Does nothing where none was made. */
  release(deliveryId: string): void {
    const made = this.#made.get(deliveryId);
    if (made === undefined) return;
    this.#made.delete(deliveryId);
    this.#add(made.accountId, -made.chars);
  }

  #add(accountId: string, chars: number): void {
    this.#chars += chars;
    const ofAccount = (this.#charsOf.get(accountId) ?? 0) + chars;
    if (ofAccount === 0) this.#charsOf.delete(accountId);
    else this.#charsOf.set(accountId, ofAccount);
  }

  /** Asks the store once for an account, text and day. Rejects as the store does. */
  async keep(accountId: string, text: BodyText): Promise<void> {
    const nowMs = this.#options.clock.nowMs();
    const day = Math.floor(nowMs / daysMs(1));
    const key = `${accountId} ${text.id}`;
    if (this.#keptOn.get(key) === day) return;
    await this.#keeping.getOrInsertComputed(key, () =>
      this.#options.store
        .keepBodyText({ accountId, ...text, nowMs })
        .then(() => this.#note(key, day))
        .finally(() => this.#keeping.delete(key)),
    );
  }

  #note(key: string, day: number): void {
    this.#keptOn.delete(key);
    this.#keptOn.set(key, day);
    const [oldest] = this.#keptOn.keys();
    if (this.#keptOn.size > NOTED_MAX && oldest !== undefined) this.#keptOn.delete(oldest);
  }
}

/** The settings must not want the event itself. */
function makeBody(
  types: MadeBodiesOptions["types"],
  settings: BodySettings,
  delivery: DeliveryOfBody,
): Result<MadeBody, BodyFault> {
  const { eventType: name } = delivery;
  const text = bodyTextOf(settings, { eventType: types.find(name), name });
  assert(text !== null, "a webhook that wants the event has no text");
  const body = renderBody(text, sourceOf(delivery));
  return body.ok ? ok({ text, body: body.value }) : body;
}
