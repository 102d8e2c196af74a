/** Webhooks of all owners in one list: whose each is, how it goes, and what waits for it. */
import type { DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import { OWNER_NOUNS } from "../../../src/domain/event.ts";
import { useSession } from "../../query.ts";
import type { Column } from "../../ui/data-table.tsx";
import { ownerWords } from "../uses.ts";
import { Tags } from "../webhook/tags.tsx";
import { HealthLabel, Sparkline } from "../health/health-label.tsx";
import { failureCode, parseHost } from "../health/health-words.ts";
import type { Listed } from "../owner/by-need.ts";
import { number, upperFirst } from "../../words.ts";
import { useMarks } from "../tell-apart.ts";
import { successInWords } from "./success.ts";

export type ListedDestination = DestinationView & Listed;

/** Without those of owners that were deleted. */
export const toListed = (destinations: readonly DestinationView[]): ListedDestination[] =>
  destinations
    .filter(({ owner }) => !owner.isDeleted)
    .map((each) => ({ ...each, name: each.owner.name, destination: each, words: toWords(each) }));

/** What it is, and what it answered while it fails. */
const toWords = ({ owner, health: { lastFailure } }: DestinationView): string =>
  `${OWNER_NOUNS[owner.kind]} ${lastFailure === null ? "" : failureCode(lastFailure.code)}`;

export function useDestinationColumns(): readonly Column<ListedDestination>[] {
  const session = useSession();
  const marks = useMarks();
  return [
    {
      id: "name",
      header: upperFirst(ownerWords(session)),
      isMain: true,
      className: "as-table:w-3/10",
      cell: ({ id, name, url, tags }) => (
        // A table takes the width of what may not wrap: a long name would push the figures off its edge.
        <>
          <span className="block [overflow-wrap:anywhere]">{name}</span>
          <span className="block text-sm font-normal text-ink-soft [overflow-wrap:anywhere]">
            {marks.get(id) ?? parseHost(url)}
          </span>
          <Tags tags={tags} />
        </>
      ),
    },
    { id: "health", header: "Health", inCard: "bare", cell: ({ health }) => <HealthLabel health={health} /> },
    {
      id: "day",
      header: "Last 24 hours",
      inCard: "never",
      cell: ({ health }) => <Sparkline hours={health.lastDay} />,
    },
    { id: "success", header: "Success", align: "end", inCard: "never", cell: ({ health }) => successInWords(health) },
    {
      id: "waiting",
      header: "Waiting",
      align: "end",
      cell: ({ health: { waiting } }) =>
        waiting.count === 0 ? "–" : `${number(waiting.count)}${waiting.isCapped ? "+" : ""}`,
    },
  ];
}
