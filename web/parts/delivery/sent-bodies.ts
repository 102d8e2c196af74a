/**
 * What a delivery's attempts have sent: the event, or bodies that were made of it, each once with the attempts that
 * sent it. Pure.
 */
import type { AttemptView, DeliveryDetail, SentBodyView } from "../../../src/dashboard/contract/deliveries.ts";
import { BODIES } from "../body/body-kinds.ts";
import { hasSent } from "./sent-text.ts";

type Sent = Pick<DeliveryDetail, "attempts" | "sentBodies" | "body">;

export interface ShownBody {
  readonly heading: string;
  /** "Slack message", and its number where there are several bodies. */
  readonly label: string;
  /** `null` where it cannot be shown, and `note` says why. */
  readonly text: string | null;
  /** Empty where there is nothing to say. */
  readonly note: string;
}

/** In the order of the attempts; the event comes last where nothing has sent it, as what the others were made of. */
export function listBodies(detail: Sent): readonly ShownBody[] {
  const { attempts, sentBodies } = detail;
  const groups = Map.groupBy(attempts.filter(hasSent), ({ sent }) => sent);
  const shown = Array.from(groups, ([place, of]): ShownBody => {
    const heading = headingOf(of, attempts);
    const view = place === null ? undefined : sentBodies[place];
    if (view === undefined) return { ...eventOf(detail), heading };
    return { heading, label: bodyLabel(sentBodies, place ?? 0), text: view.body, note: noteOf(view, detail) };
  });
  return groups.has(null) ? shown : [...shown, { ...eventOf(detail), heading: "Event" }];
}

/** The heading above it is "Event", and two places of one name could not be told apart. */
const eventOf = ({ body }: Sent) => ({ label: "The event", text: body, note: "" });

export function bodyLabel(sentBodies: Sent["sentBodies"], place: number): string {
  const { label } = BODIES[sentBodies[place]?.kind ?? "event"];
  return sentBodies.length > 1 ? `${label} (${place + 1})` : label;
}

function noteOf({ body, differs }: SentBodyView, detail: Sent): string {
  if (body === null) return whyNot(detail);
  return differs ? DIFFERS : "";
}

const whyNot = ({ body }: Sent): string =>
  body === null
    ? "It was made of the event, whose payload has reached the end of its retention time and was deleted."
    : "It can’t be made again: the text that it was made of is no longer there.";

const DIFFERS = "This is not what was sent, to the byte: made again, it has become another text.";

function headingOf(of: readonly AttemptView[], all: readonly AttemptView[]): string {
  if (of.length === all.length) return "Body of every attempt";
  const numbers = of.map(({ number }) => String(number));
  const [last] = numbers.slice(-1);
  return numbers.length === 1
    ? `Body of attempt ${last}`
    : `Body of attempts ${numbers.slice(0, -1).join(", ")} and ${last}`;
}

/** Where the body of one attempt is shown. */
export function bodyPlace(attempt: AttemptView, { attempts }: Sent): string {
  if (!hasSent(attempt)) return "No body was sent.";
  const same = attempts.filter((each) => hasSent(each) && each.sent === attempt.sent);
  if (same.length === attempts.length) return "The body is the same in every attempt; it stands below.";
  return `The body stands below, as “${headingOf(same, attempts)}”.`;
}
