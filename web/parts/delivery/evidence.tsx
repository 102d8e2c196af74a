/** What came back, in one line below the sentence of the cause: where the whole of it is, and since when it lasts. */
import type { EvidenceView } from "../../../src/dashboard/contract/deliveries.ts";
import { TextLink } from "../../ui/links.tsx";
import { LogTime } from "./log-time.tsx";

interface Props {
  readonly evidence: EvidenceView;
  /** The delivery whose page shows it: evidence of another delivery links there. */
  readonly deliveryId?: string;
  readonly incidentId?: string | null;
}

export function Evidence({ evidence, deliveryId, incidentId = null }: Props) {
  const { line, status, atMs, attempt } = evidence;
  return (
    <div className="mt-2 min-w-0 space-y-1 [overflow-wrap:anywhere]" data-evidence>
      <p>
        <code className="text-sm">{line === "" ? status : line}</code>
      </p>
      <p className="flex flex-wrap gap-x-4 text-sm text-ink-soft">
        <LogTime atMs={atMs} />
        {evidence.deliveryId !== deliveryId && (
          <TextLink href={`/deliveries/${encodeURIComponent(evidence.deliveryId)}`}>
            Attempt {attempt} of that delivery
          </TextLink>
        )}
        {incidentId !== null && <TextLink href={incidentHref(incidentId)}>Incident</TextLink>}
      </p>
    </div>
  );
}

/** Its place among all of the account's, open and in view. */
export const incidentHref = (id: string): string => `/incidents?incident=${encodeURIComponent(id)}`;
