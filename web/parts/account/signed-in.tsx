/** Who is signed in to the account, each browser a row; owners sign out one of them or all but their own. */
import { type RefObject, useEffect, useRef, useState } from "react";
import { useSearchParams } from "wouter";
import type { SignedIn as SignedInBrowser } from "../../../src/dashboard/contract/session.ts";
import { useAnswer, useChange } from "../../query.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Badge } from "../../ui/chips.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Pager } from "../../ui/pager.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";

/** The list of what was done, below on the page, has the plain name. */
const CURSOR = "signed-in";

type Asking = SignedInBrowser | "others" | null;

export function SignedIn() {
  const [search] = useSearchParams();
  const cursor = search.get(CURSOR);
  const signedIn = useAnswer("GET /signed-in", { query: cursor === null ? {} : { cursor } });
  const [asking, setAsking] = useState<Asking>(null);
  const close = (): void => setAsking(null);
  const place = useFocusKept(asking !== null);
  const hasOthers = cursor !== null || (signedIn.data?.sessions ?? []).some(({ isYou }) => !isYou);
  return (
    <Card
      title="Who is signed in"
      description="Every browser in which somebody has opened a sign-in link of this account."
      actions={hasOthers && <Button onClick={() => setAsking("others")}>Sign out all others</Button>}
      isFlush
    >
      <Loaded what="who is signed in" query={signedIn}>
        {({ sessions, nextCursor }) => (
          <div ref={place}>
            <DataTable
              caption="Who is signed in, newest first"
              columns={columns(setAsking)}
              rows={sessions}
              toKey={({ id }) => id}
              isSlim
            />
            <Pager label="who is signed in" nextCursor={nextCursor} parameter={CURSOR} />
          </div>
        )}
      </Loaded>
      {asking === "others" && <SignOutOthersDialog onClose={close} />}
      {asking !== null && asking !== "others" && <SignOutDialog browser={asking} onClose={close} />}
    </Card>
  );
}

/** The button that opened the dialog may have gone with its row: the focus then stays at the list. */
function useFocusKept(isAsking: boolean): RefObject<HTMLDivElement | null> {
  const place = useRef<HTMLDivElement>(null);
  const wasAsking = useRef(false);
  useEffect(() => {
    const isLost = document.activeElement === document.body;
    if (wasAsking.current && !isAsking && isLost) place.current?.querySelector<HTMLElement>("[role=region]")?.focus();
    wasAsking.current = isAsking;
  }, [isAsking]);
  return place;
}

function EndButton({ browser, onPress }: { readonly browser: SignedInBrowser; readonly onPress: () => void }) {
  return (
    <Button size="sm" aria-label={`Sign out ${browser.person}`} onClick={onPress}>
      Sign out
    </Button>
  );
}

const columns = (ask: (browser: SignedInBrowser) => void): readonly Column<SignedInBrowser>[] => [
  {
    id: "person",
    header: "Who",
    isMain: true,
    cell: ({ person, role }) => (
      <>
        <span className="[overflow-wrap:anywhere]">{person}</span>
        <span className="block text-sm font-normal text-ink-soft">{role === "owner" ? "Owner" : "Viewer"}</span>
      </>
    ),
  },
  { id: "since", header: "Signed in", cell: ({ sinceMs }) => <RelativeTime atMs={sinceMs} /> },
  { id: "seen", header: "Last seen", cell: ({ seenMs }) => <RelativeTime atMs={seenMs} /> },
  {
    id: "end",
    header: "Sign out",
    align: "end",
    inCard: "bare",
    cell: (browser) =>
      browser.isYou ? <Badge>This is you</Badge> : <EndButton browser={browser} onPress={() => ask(browser)} />,
  },
];

/* Asks before people are signed out from here: what ends at once, and what keeps them out. */

interface Props {
  readonly onClose: () => void;
}

const OUTDATED = ["GET /signed-in", "GET /audit"] as const;

const COMING_BACK = "A new sign-in link lets them in again: your product decides who gets one.";

function SignOutDialog({ browser, onClose }: Props & { readonly browser: SignedInBrowser }) {
  const { id, person } = browser;
  const signOut = useChange("DELETE /signed-in/:id", ...OUTDATED);
  return (
    <ConfirmDialog
      isOpen
      isDestructive
      title={`Sign out “${person}”?`}
      action="Sign out"
      onClose={onClose}
      onConfirm={() => signOut.mutateAsync({ params: { id } })}
    >
      That browser is signed out at once, and sign-in links of “{person}” that were not used yet stop working.{" "}
      {COMING_BACK}
    </ConfirmDialog>
  );
}

function SignOutOthersDialog({ onClose }: Props) {
  const signOut = useChange("DELETE /signed-in", ...OUTDATED);
  return (
    <ConfirmDialog
      isOpen
      isDestructive
      title="Sign out all others?"
      action="Sign out all others"
      onClose={onClose}
      onConfirm={() => signOut.mutateAsync({})}
    >
      Every browser but this one is signed out at once, your own others too, and sign-in links that were not used yet
      stop working. {COMING_BACK}
    </ConfirmDialog>
  );
}
