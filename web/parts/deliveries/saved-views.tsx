/**
 * Filters under a name: three that are there from the start, those of the account, and those of this browser, which
 * viewers save. Applied, named again, and deleted. The address stays the truth.
 */
import { Trash2 } from "lucide-react";
import { Suspense, useState } from "react";
import type { SavedView } from "../../../src/dashboard/contract/deliveries.ts";
import { useSavedViews } from "../../browser-settings.ts";
import { onDemand } from "../../later.ts";
import { useAnswerWhen, useChange, useSession } from "../../query.ts";
import { Banner } from "../../ui/banner.tsx";
import { IconButton } from "../../ui/button.tsx";
import { DialogSkeleton } from "../../ui/dialog.tsx";
import { Choices, FilterMenu } from "./filter-choices.tsx";
import { toViewSearch, withoutFilters } from "./filters.ts";

const DeleteView = onDemand(() => import("./delete-view.tsx"), "DeleteView");
const NewView = onDemand(() => import("./new-view.tsx"), "NewView");

interface Props {
  readonly search: URLSearchParams;
  readonly onChange: (next: URLSearchParams) => void;
}

const STANDARD: readonly SavedView[] = [
  { name: "Failed", search: "status=failed" },
  { name: "Waiting and retrying", search: toViewSearch(new URLSearchParams({ status: "waiting,retrying" })) },
  { name: "Refused by the endpoint", search: "response=4xx" },
];

export function SavedViews({ search, onChange }: Props) {
  const now = toViewSearch(search);
  const [isOpened, setOpened] = useState(false);
  // Without filters none is on: those of the account are asked for when somebody opens the menu.
  const views = useViews({ isAsked: isOpened || now !== "" });
  const [deleting, setDeleting] = useState<SavedView | null>(null);
  const keep = (): void => setDeleting(null);
  const current = views.all.find((view) => view.search === now && now !== "");
  const menu = (
    <FilterMenu
      label="View"
      value={current?.name ?? null}
      onOpen={() => setOpened(true)}
      onClear={() => onChange(withoutFilters(search))}
    >
      {views.all.map((view) => (
        <div key={`${view.name} ${view.search}`} className="flex items-center gap-1">
          <div className="min-w-0 grow">
            <Choices
              choices={[{ value: view.search, label: view.name }]}
              chosen={[now]}
              onChoose={(chosen) => onChange(new URLSearchParams(chosen))}
            />
          </div>
          {views.canDelete(view) && (
            <IconButton
              label={`Delete the view ${view.name}`}
              icon={<Trash2 />}
              onClick={({ currentTarget }) => {
                // The focus goes back to what has opened the menu, and from the question too.
                currentTarget.closest<HTMLElement>("[popover]")?.hidePopover();
                setDeleting(view);
              }}
            />
          )}
        </div>
      ))}
      {views.error !== null && <Banner tone="bad" role="alert" title={views.error.message} />}
      {now === "" ? (
        <p className="px-2 py-1.5 text-ink-soft">Choose filters or search first: then they can be saved here.</p>
      ) : (
        (current === undefined || views.canDelete(current)) && (
          <Suspense>
            <NewView
              key={current?.name}
              name={current?.name}
              help={views.savesShared ? "Everybody of this account sees it." : "Kept in this browser."}
              onSave={(name) => views.put({ name, search: now })}
            />
          </Suspense>
        )
      )}
    </FilterMenu>
  );
  return (
    <>
      {menu}
      <Suspense fallback={<DialogSkeleton onClose={keep} />}>
        {deleting !== null && (
          <DeleteView
            name={deleting.name}
            isShared={views.isShared(deleting)}
            onConfirm={() => views.remove(deleting)}
            onClose={keep}
          />
        )}
      </Suspense>
    </>
  );
}

/** A name that is there already gets these filters, and filters that have a name already get this one. */
function useViews({ isAsked }: { readonly isAsked: boolean }) {
  const { account, role, limits } = useSession();
  const savesShared = role === "owner";
  const shared = useAnswerWhen("GET /views", isAsked ? {} : null).data?.views ?? [];
  const change = useChange("PUT /views", "GET /views");
  // Its dialog says what has refused it; the menu would go on saying it.
  const removal = useChange("PUT /views", "GET /views");
  const [own, saveOwn] = useSavedViews(account.id);
  const put = (view: SavedView): void => {
    const others = own.filter(({ name, search }) => name !== view.name && search !== view.search);
    if (savesShared) change.mutate({ body: view });
    saveOwn([...(savesShared ? [] : [view]), ...others].slice(0, limits.viewsMax));
  };
  const remove = async (view: SavedView): Promise<void> => {
    if (own.includes(view)) saveOwn(own.filter((each) => each !== view));
    else await removal.mutateAsync({ body: { name: view.name, search: null } });
  };
  return {
    all: [...STANDARD, ...shared, ...own],
    savesShared,
    isShared: (view: SavedView) => !own.includes(view),
    canDelete: (view: SavedView) => own.includes(view) || (savesShared && shared.includes(view)),
    put,
    remove,
    error: change.error,
  };
}
