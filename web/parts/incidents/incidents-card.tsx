/**
 * Incidents, newest first: the card of one webhook, and the list that the page of all shares with it. One that lasts,
 * or that a link names with `?incident=`, is open; the figures of the others are asked for when somebody opens them.
 * Where many last, they are one trouble that the page says above the list, and none is open.
 */
import { useState } from "react";
import { useSearchParams } from "wouter";
import type { IncidentList } from "../../../src/dashboard/contract/incidents.ts";
import { call } from "../../api.ts";
import { useAnswer } from "../../query.ts";
import { announce } from "../../ui/announcer.tsx";
import { Button, LinkButton } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { count } from "../../words.ts";
import { IncidentItem, type Listed } from "./incident-item.tsx";

export function IncidentsCard({ destinationId }: { readonly destinationId: string }) {
  const [search] = useSearchParams();
  const linked = search.get("incident");
  const query = useAnswer("GET /destinations/:id/incidents", {
    params: { id: destinationId },
    query: linked === null ? {} : { incident: linked },
  });
  return (
    <Card
      title="Incidents"
      description="When this webhook was in trouble, what came back, and what became of its deliveries."
      actions={<LinkButton href="/incidents">All incidents</LinkButton>}
      isFlush
    >
      <Loaded what="the incidents" query={query}>
        {({ incidents, hasOlder }) =>
          incidents.length === 0 ? (
            <p className="px-5 pb-4 text-ink-soft">None so far. One begins with the fifth failed attempt in a row.</p>
          ) : (
            <IncidentPages
              {...toPages({ incidents, hasOlder })}
              linked={linked}
              loadOlder={async (before) =>
                toPages(
                  await call("GET /destinations/:id/incidents", { params: { id: destinationId }, query: { before } }),
                )
              }
            />
          )
        }
      </Loaded>
    </Card>
  );
}

const toPages = ({ incidents, hasOlder }: IncidentList) => ({
  incidents,
  olderThan: hasOlder ? (incidents.at(-1)?.id ?? null) : null,
});

interface PagesProps {
  readonly incidents: readonly Listed[];
  /** `null` on the last page. */
  readonly olderThan: string | null;
  /** The incident that the address names. */
  readonly linked: string | null;
  readonly loadOlder: (before: string) => Promise<Pick<PagesProps, "incidents" | "olderThan">>;
}

/** The newest of them, and older ones below by a press. */
export function IncidentPages({ incidents, olderThan, linked, loadOlder }: PagesProps) {
  return (
    <>
      {linked !== null && !incidents.some(({ id }) => id === linked) && (
        <p className="px-5 py-3 text-ink-soft">The incident of your link is older than what is kept.</p>
      )}
      <List incidents={incidents} linked={linked} />
      {olderThan !== null && <Older key={olderThan} olderThan={olderThan} loadOlder={loadOlder} />}
    </>
  );
}

/** More that last push each other off the screen. */
const OPEN_MAX = 3;

function List({ incidents, linked }: Pick<PagesProps, "incidents" | "linked">) {
  const lasting = incidents.filter(({ toMs }) => toMs === null).slice(0, OPEN_MAX + 1);
  const open = new Set([linked, ...(lasting.length > OPEN_MAX ? [] : lasting.map(({ id }) => id))]);
  return (
    <ul className="divide-y divide-line border-t border-line">
      {incidents.map((incident) => (
        <IncidentItem
          key={incident.id}
          incident={incident}
          isLinked={incident.id === linked}
          isOpenFirst={open.has(incident.id)}
        />
      ))}
    </ul>
  );
}

/** An outage that is long over does not change, so it is fetched once. */
function Older({ olderThan, loadOlder }: Pick<PagesProps, "loadOlder"> & { readonly olderThan: string }) {
  const [shown, setShown] = useState<readonly Listed[]>([]);
  const [isBusy, setBusy] = useState(false);
  const [before, setBefore] = useState<string | null>(olderThan);
  const load = async (from: string): Promise<void> => {
    setBusy(true);
    try {
      const next = await loadOlder(from);
      setShown([...shown, ...next.incidents]);
      announce(count(next.incidents.length, "older incident"));
      setBefore(next.olderThan);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      {shown.length > 0 && <List incidents={shown} linked={null} />}
      {before !== null && (
        <div className="border-t border-line px-5 py-3">
          <Button size="sm" isBusy={isBusy} onClick={() => void load(before).catch(() => undefined)}>
            Show older
          </Button>
        </div>
      )}
    </>
  );
}
