/**
 * The live stream: server-sent events at `dashboard/live`. Ids and states only; the page fetches what it shows. Frames
 * are joined to at most four a second. `Last-Event-ID` resumes from a ring buffer; what is not in it any more is
 * answered with `resync`: fetch everything again.
 */
import type { DeliveryStatus } from "./deliveries.ts";

/** `event:` names and the JSON of their `data:`. A comment line comes every 15 s. */
export interface LiveFrames {
  /** Deliveries that are new or have changed since the last frame. */
  readonly deliveries: {
    readonly changed: readonly {
      readonly id: string;
      readonly status: DeliveryStatus;
      readonly destinationId: string | null;
      readonly isNew: boolean;
      readonly isTest: boolean;
    }[];
    /** There were more than a frame takes, or some that another node made, which are not named. */
    readonly isCut: boolean;
  };
  /** Destinations with a new state or health. */
  readonly destinations: { readonly ids: readonly string[] };
  readonly replays: { readonly ids: readonly string[] };
  /** Somebody saved alerts, assistants, the secret or the account. */
  readonly configuration: Record<string, never>;
  readonly resync: Record<string, never>;
  /** The session has ended, and the stream ends behind this. */
  readonly ended: Record<string, never>;
}

export type LiveTopic = keyof LiveFrames;
