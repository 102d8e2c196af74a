/** One incident: a line that says when and what, and behind it what became of its deliveries. */
import { ChevronRight } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type {
  AccountIncidentView,
  IncidentFigures,
  StoredIncident,
} from "../../../src/dashboard/contract/incidents.ts";
import { ownerPage } from "../../../src/domain/event.ts";
import { useAnswer } from "../../query.ts";
import { Badge } from "../../ui/chips.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { useNow } from "../../ui/relative-time.tsx";
import { TextLink } from "../../ui/links.tsx";
import { Evidence, incidentHref } from "../delivery/evidence.tsx";
import { SendWaiting } from "../health/send-waiting.tsx";
import { parseHost } from "../health/health-words.ts";
import { useMarks } from "../tell-apart.ts";
import { useRefetchEvery } from "../overview/use-refetch-every.ts";
import {
  cappedInWords,
  countInWords,
  courseInWords,
  lengthInWords,
  logOf,
  noneHitInWords,
  outcomes,
  responsesInWords,
  spanInWords,
} from "./incident-words.ts";
import { SendAgain } from "./send-again.tsx";

/** Where all webhooks are listed, each says which it is about. */
export type Listed = StoredIncident & Partial<Pick<AccountIncidentView, "destination">>;

interface Props {
  readonly incident: Listed;
  /** The address names it: it is in view. */
  readonly isLinked: boolean;
  /** Open until somebody folds it. */
  readonly isOpenFirst: boolean;
}

export function IncidentItem({ incident, isLinked, isOpenFirst }: Props) {
  const item = useRef<HTMLDetailsElement>(null);
  const isLasting = incident.toMs === null;
  const [isOpen, setOpen] = useState(isOpenFirst);
  const nowMs = useNow();
  useEffect(() => {
    if (isLinked) item.current?.scrollIntoView({ block: "center" });
  }, [isLinked]);
  return (
    <li>
      <details ref={item} open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)} className="group">
        <summary className="flex cursor-pointer items-start gap-2 px-5 py-3 hover:bg-hover">
          <ChevronRight
            aria-hidden="true"
            className="mt-0.5 size-4 shrink-0 text-ink-soft group-open:rotate-90 motion-safe:transition-transform"
          />
          <span className="min-w-0 flex-1">
            {incident.destination !== undefined && <Named destination={incident.destination} />}
            <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
              <span className="font-medium tabular-nums">{spanInWords(incident)}</span>
              <span className="text-ink-soft tabular-nums">{lengthInWords(incident, nowMs)}</span>
              {isLasting ? <Badge tone="bad">Under way</Badge> : <Badge tone="ok">Over</Badge>}
            </span>
            <span className="block text-ink-soft [overflow-wrap:anywhere] tabular-nums">
              {responsesInWords(incident.responses)}
            </span>
          </span>
        </summary>
        {isOpen && <Figures incident={incident} />}
      </details>
    </li>
  );
}

function Named({ destination }: Pick<AccountIncidentView, "destination">) {
  const marks = useMarks();
  return (
    <span className="block [overflow-wrap:anywhere]">
      <bdi className="font-medium">{destination?.owner.name ?? "A deleted destination"}</bdi>{" "}
      <span className="text-ink-soft">{destination && (marks.get(destination.id) ?? parseHost(destination.url))}</span>
    </span>
  );
}

const REFETCH_MS = 5_000;

function Figures({ incident }: { readonly incident: Listed }) {
  const { id, destinationId, toMs } = incident;
  const { data } = useAnswer("GET /destinations");
  // What waits now belongs to the incident that lasts.
  const now = toMs === null ? data?.destinations.find((each) => each.id === destinationId) : undefined;
  const query = useAnswer("GET /destinations/:id/incident-figures", {
    params: { id: destinationId },
    query: { incident: id },
  });
  useRefetchEvery(query.refetch, REFETCH_MS);
  const course = courseInWords(incident);
  return (
    <div className="space-y-3 px-5 pb-4 pl-11">
      {course !== "" && <p className="text-ink-soft">{course}</p>}
      <Loaded what="its deliveries" query={query}>
        {({ figures, evidence, lookedAtMax }) => {
          if (figures === null) return <p className="text-ink-soft">Its deliveries are no longer kept.</p>;
          const { isCapped } = figures;
          const all = outcomes(figures);
          const hit = all.reduce((sum, { count }) => sum + count, 0);
          if (hit === 0) return <p className="text-ink-soft">{noneHitInWords(figures, lookedAtMax)}</p>;
          return (
            <>
              <dl className="flex flex-wrap gap-x-8 gap-y-2">
                <Figure label="Deliveries affected" count={hit} isCapped={isCapped} href={logOf(incident, figures)} />
                {all.map(({ label, count, status }) => (
                  <Figure key={label} {...{ label, count, isCapped }} href={logOf(incident, figures, status)} />
                ))}
              </dl>
              {evidence !== null && <Evidence evidence={evidence} deliveryId={evidence.deliveryId} />}
              <Places incident={incident} figures={figures} />
              {isCapped && <p className="text-sm text-ink-soft">{cappedInWords(lookedAtMax)}</p>}
              {now !== undefined && (
                <div className="flex flex-wrap items-center gap-2">
                  <SendWaiting destination={now} />
                </div>
              )}
              {figures.failed > 0 && <SendAgain incident={incident} figures={figures} />}
            </>
          );
        }}
      </Loaded>
    </div>
  );
}

/** The first and the last of those that it has hit with an attempt that failed, and where else it stands. */
function Places({ incident, figures }: { readonly incident: Listed; readonly figures: IncidentFigures }) {
  const { id, destination } = incident;
  const { firstFailedId, lastFailedId } = figures;
  return (
    <p className="flex flex-wrap gap-x-4">
      {firstFailedId !== null && <TextLink href={`/deliveries/${firstFailedId}`}>First failed delivery</TextLink>}
      {lastFailedId !== firstFailedId && <TextLink href={`/deliveries/${lastFailedId}`}>Last failed delivery</TextLink>}
      {destination === undefined && <TextLink href={incidentHref(id)}>Among all incidents</TextLink>}
      {destination?.owner.isDeleted === false && (
        <TextLink href={ownerPage(destination.owner)}>Page of this webhook</TextLink>
      )}
    </p>
  );
}

interface FigureProps {
  readonly label: string;
  readonly count: number;
  readonly isCapped: boolean;
  /** The log, with these in it. */
  readonly href: string;
}

function Figure({ label, count, isCapped, href }: FigureProps) {
  return (
    <div>
      <dt className="text-sm text-ink-soft">{label}</dt>
      <dd className="text-lg font-semibold tabular-nums">
        <TextLink href={href}>
          {countInWords(count, isCapped)}
          <span className="sr-only"> {label}, in the log</span>
        </TextLink>
      </dd>
    </div>
  );
}
