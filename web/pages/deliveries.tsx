/**
 * Deliveries: the log of all destinations. A delivery opens beside the list where there is room, alone where there is
 * not; both times under its own address, with the list's filters behind it.
 */
import { Suspense, useState } from "react";
import { useLocation, useParams, useSearchParams } from "wouter";
import { DeliveryLog, NewRows, Total } from "../parts/deliveries/delivery-log.tsx";
import { FilterBar } from "../parts/deliveries/filter-bar.tsx";
import { hasFilters, logHref } from "../parts/deliveries/filters.ts";
import { LogActions, withReplay } from "../parts/replay/log-actions.tsx";
import { toSelection, useSelected } from "../parts/selection/selection-column.tsx";
import { useDeliveryList, useIsAtTop } from "../parts/deliveries/use-delivery-list.ts";
import type { SearchStep } from "../parts/search/search-box.tsx";
import { useMedia } from "../ui/use-media.ts";
import { later } from "../later.ts";
import { useAnswer, useSession } from "../query.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Page } from "../ui/page.tsx";
import { RowsSkeleton } from "../ui/skeleton.tsx";

/** The list is there before anybody opens one, or chooses some. */
const SelectionBar = later(() => import("../parts/deliveries/selection-bar.tsx"), "SelectionBar");
const DeliveryPanel = later(() => import("../parts/delivery/delivery-panel.tsx"), "DeliveryPanel");
const DeliveryView = later(() => import("../parts/delivery/delivery-view.tsx"), "DeliveryView");

/** List and delivery side by side, beside the rail. */
const WIDE_FOR_BOTH = "(min-width: 75rem)";
/** On less, boxes are there while somebody selects: a row needs its width for its name. */
const WIDE_FOR_BOXES = "(min-width: 40rem)";
/** On less, the actions are a menu: they would take a line of their own. */
const WIDE_FOR_ACTIONS = "(min-width: 56rem)";

export function DeliveriesPage() {
  const { id } = useParams<{ id?: string }>();
  const isWide = useMedia(WIDE_FOR_BOTH);
  const [search] = useSearchParams();
  if (id === undefined || isWide) return <Log search={search} openId={id} />;
  return (
    <Page title="Delivery" isTitleSpoken back={{ href: logHref(search), label: "Deliveries" }}>
      <Card>
        <Suspense fallback={<RowsSkeleton />}>
          <DeliveryView key={id} id={id} />
        </Suspense>
      </Card>
    </Page>
  );
}

interface Props {
  readonly search: URLSearchParams;
  readonly openId: string | undefined;
}

function Log({ search, openId }: Props) {
  const [, navigate] = useLocation();
  const { role } = useSession();
  const selected = useSelected(search.toString());
  const isOneOpen = openId !== undefined;
  const list = useDeliveryList(search, isOneOpen || selected.selected.ids.size > 0);
  const rows = list.query.data?.deliveries ?? [];
  const isWide = useMedia(WIDE_FOR_BOXES);
  const isWideForActions = useMedia(WIDE_FOR_ACTIONS);
  const [isSelecting, setSelecting] = useState(false);
  const isOwner = role === "owner";
  const selection = isOwner && (isWide || isSelecting) ? toSelection(selected, rows) : undefined;
  const endSelecting = (): void => {
    selection?.clear();
    setSelecting(false);
  };
  const { data } = useAnswer("GET /destinations");
  const destinations = data?.destinations ?? [];
  // A filter is a step of its own: Back takes it away again. The open delivery stays open.
  const change = (next: URLSearchParams, step?: SearchStep): void => {
    if (next.toString() !== search.toString()) navigate(logHref(next, openId), step);
  };
  // In the bar where that has room for it and is in sight, above the rows elsewhere: it may not move them.
  const isNewsInBar = useIsAtTop() && isWideForActions && !isOneOpen;
  // Nothing was ever sent: there is nothing to narrow, to save or to send again.
  const isEmpty = list.query.data?.deliveries.length === 0 && !["cursor", "tests"].some((name) => search.has(name));
  const isBare = isEmpty && !hasFilters(search);
  return (
    <Page title="Deliveries" actions={<LogActions search={search} isWide={isWideForActions} isBare={isBare} />}>
      <div
        className={
          openId === undefined ? undefined : "grid grid-cols-[minmax(20rem,2fr)_minmax(0,3fr)] items-start gap-5"
        }
      >
        <Card isFlush>
          <FilterBar
            search={search}
            onChange={change}
            destinations={destinations}
            isFolded={openId !== undefined}
            isBare={isBare}
          >
            {isNewsInBar && <NewRows news={list.news} onShow={list.show} />}
            {!(isNewsInBar && list.news !== null) && <Total list={list.query.data} query={list.shown} />}
            {isOwner && !isWide && !isSelecting && rows.length > 0 && (
              <Button size="sm" className="min-h-8!" onClick={() => setSelecting(true)}>
                Select
              </Button>
            )}
          </FilterBar>
          <div className="border-t border-line">
            <DeliveryLog
              list={list}
              search={search}
              onChange={change}
              openId={openId}
              selection={selection}
              hasWebhooks={destinations.length > 0}
              isNewsInBar={isNewsInBar}
            />
          </div>
          <Suspense>
            {selection !== undefined && (
              <SelectionBar
                selection={selection}
                rows={rows}
                query={list.shown}
                hasOthers={typeof list.query.data?.nextCursor === "string" || search.has("cursor")}
                onDone={isWide ? undefined : endSelecting}
                onReplay={() => navigate(logHref(withReplay(search), openId))}
              />
            )}
          </Suspense>
        </Card>
        <Suspense fallback={<RowsSkeleton />}>
          {openId !== undefined && <DeliveryPanel key={openId} id={openId} search={search} rows={rows} />}
        </Suspense>
      </div>
    </Page>
  );
}
