/** What needs somebody, one banner a host with the buttons that help; then the webhooks with the most to do. */
import type { DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import { ownerPage } from "../../../src/domain/event.ts";
import { Card } from "../../ui/card.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { TextLink } from "../../ui/links.tsx";
import { number } from "../../words.ts";
import { TroubleBanners } from "../health/trouble-banners.tsx";
import { byNeed, byTraffic } from "../owner/by-need.ts";
import { toListed, useDestinationColumns } from "./destination-list.tsx";

/** More have a page of their own. */
const SHOWN_MAX = 5;

export function Attention({ destinations }: { readonly destinations: readonly DestinationView[] }) {
  const columns = useDestinationColumns();
  const listed = toListed(destinations);
  const busiest = listed.toSorted(byTraffic).slice(0, SHOWN_MAX).toSorted(byNeed);
  const hasMore = listed.length > busiest.length;
  if (listed.length === 0) return null;
  return (
    <>
      <TroubleBanners destinations={destinations} />
      <Card
        title={hasMore ? "Busiest webhooks" : "Webhooks"}
        actions={hasMore && <TextLink href="/destinations">All {number(listed.length)}</TextLink>}
        isFlush
      >
        <DataTable
          caption={`${hasMore ? "The busiest webhooks" : "Webhooks"}, those that need attention first`}
          columns={columns}
          rows={busiest}
          toKey={({ id }) => id}
          toHref={({ owner }) => ownerPage(owner)}
        />
      </Card>
    </>
  );
}
