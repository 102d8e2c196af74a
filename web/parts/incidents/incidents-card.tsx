/**
 * Incidents of one webhook, newest first. One that lasts, or that a link names with `?incident=`, is open; the figures
 * of the others are asked for when somebody opens them.
 */
import { useState } from "react";
import { useSearchParams } from "wouter";
import type { IncidentView } from "../../../src/dashboard/contract/incidents.ts";
import { useLive } from "../../live.ts";
import { call } from "../../api.ts";
import { useAnswer } from "../../query.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { IncidentItem } from "./incident-item.tsx";

export function IncidentsCard({ destinationId }: { readonly destinationId: string }) {
  const [search] = useSearchParams();
  const linked = search.get("incident");
  const query = useAnswer("GET /destinations/:id/incidents", {
    params: { id: destinationId },
    query: linked === null ? {} : { incident: linked },
  });
  useLive("destinations", () => void query.refetch());
  return (
    <Card
      title="Incidents"
      description="When this webhook was in trouble, what came back, and what became of its deliveries."
      isFlush
    >
      <Loaded what="the incidents" query={query}>
        {({ incidents, hasOlder }) =>
          incidents.length === 0 ? (
            <p className="px-5 pb-4 text-ink-soft">None so far. One begins with the fifth failed attempt in a row.</p>
          ) : (
            <>
              {linked !== null && !incidents.some(({ id }) => id === linked) && (
                <p className="px-5 pb-3 text-ink-soft">The incident of your link is older than what is kept.</p>
              )}
              <List incidents={incidents} linked={linked} />
              {hasOlder && (
                <Older key={incidents.at(-1)?.id} destinationId={destinationId} before={incidents.at(-1)?.id ?? ""} />
              )}
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

function List({ incidents, linked }: { readonly incidents: readonly IncidentView[]; readonly linked: string | null }) {
  return (
    <ul className="divide-y divide-line border-t border-line">
      {incidents.map((incident) => (
        <IncidentItem key={incident.id} incident={incident} isLinked={incident.id === linked} />
      ))}
    </ul>
  );
}

interface OlderProps {
  readonly destinationId: string;
  readonly before: string;
}

/** An outage that is long over does not change, so it is fetched once. */
function Older({ destinationId, before }: OlderProps) {
  const [shown, setShown] = useState<readonly IncidentView[]>([]);
  const [isBusy, setBusy] = useState(false);
  const [hasOlder, setOlder] = useState(true);
  const load = async (): Promise<void> => {
    setBusy(true);
    try {
      const input = { params: { id: destinationId }, query: { before: shown.at(-1)?.id ?? before } };
      const next = await call("GET /destinations/:id/incidents", input);
      setShown([...shown, ...next.incidents]);
      setOlder(next.hasOlder);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      {shown.length > 0 && <List incidents={shown} linked={null} />}
      {hasOlder && (
        <div className="border-t border-line px-5 py-3">
          <Button size="sm" isBusy={isBusy} onClick={() => void load().catch(() => undefined)}>
            Show older
          </Button>
        </div>
      )}
    </>
  );
}
