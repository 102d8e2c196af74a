/** An incident in words, its links into the log, and what "send again" asks for. Pure. */
import type { IncidentFigures, StoredIncident, ResponseCount } from "../../../src/dashboard/contract/incidents.ts";
import { date, duration, minute, number, timeOfDay } from "../../words.ts";
import { responseLabel } from "../deliveries/filters.ts";

/** "503 × 212, timed out × 14". */
export function responsesInWords(responses: readonly ResponseCount[]): string {
  return responses.map(({ code, count }) => `${lowered(responseLabel(code))} × ${number(count)}`).join(", ");
}

const lowered = (label: string): string => label.charAt(0).toLowerCase() + label.slice(1);

/** "20 Nov 2026, 12:00 to 12:41", with the date again where it is another day, and no end within the same minute. */
export function spanInWords({ fromMs, toMs }: Pick<StoredIncident, "fromMs" | "toMs">): string {
  if (toMs === null) return `Since ${minute(fromMs)}`;
  if (minute(fromMs) === minute(toMs)) return minute(fromMs);
  const end = date(fromMs) === date(toMs) ? timeOfDay(toMs) : minute(toMs);
  return `${minute(fromMs)} to ${end}`;
}

export function lengthInWords({ fromMs, toMs }: Pick<StoredIncident, "fromMs" | "toMs">, nowMs: number): string {
  return duration(Math.max(1_000, (toMs ?? nowMs) - fromMs));
}

/** How it ended, and what else happened in it. */
export function courseInWords({ end, offReason, interruptions }: StoredIncident): string {
  const sentences = [
    offReason === null ? "" : OFF[offReason],
    interruptions === 0
      ? ""
      : interruptions === 1
        ? "It worked once in between."
        : `It worked ${number(interruptions)} times in between.`,
    end === null ? "" : ENDS[end],
  ];
  return sentences.filter((sentence) => sentence !== "").join(" ");
}

const OFF: Readonly<Record<NonNullable<StoredIncident["offReason"]>, string>> = {
  gone: "It was turned off by the answer 410 Gone.",
  failing: "It was turned off after five days of failures.",
};

const ENDS: Readonly<Record<NonNullable<StoredIncident["end"]>, string>> = {
  recovered: "It ended when the endpoint accepted a delivery.",
  turned_on: "It ended when a person turned the webhook on.",
  url_changed: "It ended when the URL was changed.",
  deleted: "It ended when the webhook was removed.",
};

/** Where its deliveries begin: the first may have been accepted a moment before the first failure. */
const sinceMs = (incident: StoredIncident, { oldestMs }: IncidentFigures): number =>
  Math.min(incident.fromMs, oldestMs ?? incident.fromMs);

export interface Outcome {
  readonly label: string;
  readonly count: number;
  /** The log's filter that shows them; `null` for all. */
  readonly status: string;
}

/** The ends of the deliveries, in the order of a delivery's life; one that none has met is left out. */
export function outcomes({ delivered, waiting, failed, cancelled }: IncidentFigures): readonly Outcome[] {
  const all = [
    { label: "Delivered later", count: delivered, status: "delivered" },
    { label: "Still waiting", count: waiting, status: "waiting,retrying" },
    { label: "Failed", count: failed, status: "failed" },
    { label: "Cancelled", count: cancelled, status: "cancelled" },
  ];
  return all.filter(({ count }) => count > 0);
}

export function logOf(incident: StoredIncident, figures: IncidentFigures, status?: string): string {
  const search = new URLSearchParams({ destination: incident.destinationId });
  if (status !== undefined) search.set("status", status);
  search.set("from", String(sinceMs(incident, figures)));
  if (incident.toMs !== null) search.set("to", String(incident.toMs));
  return `/deliveries?${search}`;
}

export interface ResponseChoice {
  readonly value: string;
  readonly label: string;
}

/** Every response that failed deliveries had last, with its number; what got no answer is one choice. */
export function responseChoices({ failed, failedBy, isCapped }: IncidentFigures): readonly ResponseChoice[] {
  const answered = failedBy.filter(({ code }) => isStatus(code));
  const unanswered = failedBy.reduce((sum, { code, count }) => sum + (isStatus(code) ? 0 : count), 0);
  const inWords = (count: number): string => `(${countInWords(count, isCapped)})`;
  return [
    { value: "", label: `Any response ${inWords(failed)}` },
    ...answered.map(({ code, count }) => ({ value: code, label: `${code} ${inWords(count)}` })),
    ...(unanswered === 0 ? [] : [{ value: "none", label: `No answer ${inWords(unanswered)}` }]),
  ];
}

/** "240"; "240+" where more were hit than were counted. */
export const countInWords = (count: number, isCapped: boolean): string => `${number(count)}${isCapped ? "+" : ""}`;

/** Below figures that were counted among the newest deliveries alone. */
export const cappedInWords = (lookedAtMax: number): string =>
  `Counted among the newest ${number(lookedAtMax)} deliveries of this time. It had more, so each number may be higher.`;

/** The sentence in place of figures that are all zero. */
export const noneHitInWords = ({ isCapped }: IncidentFigures, lookedAtMax: number): string =>
  isCapped
    ? `None of the newest ${number(lookedAtMax)} deliveries of this time was held up or lost. It had more.`
    : "No delivery was held up or lost, or they are forgotten.";

const isStatus = (code: string): boolean => /^\d{3}$/.test(code);
