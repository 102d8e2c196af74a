/** The page that lists alerts or webhooks: each with where it sends and how that goes, and the way to a new one. */
import type { UseQueryResult } from "@tanstack/react-query";
import { type LucideIcon, Plus } from "lucide-react";
import type { ReactNode } from "react";
import type { DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import { useOwnersOnly } from "../../query.ts";
import { Button, LinkButton } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState, Loaded } from "../../ui/loaded.tsx";
import { Page } from "../../ui/page.tsx";
import { Tags } from "../webhook/tags.tsx";
import { NarrowedList } from "./narrowed-list.tsx";
import { destinationColumns } from "../webhook/destination.tsx";
import type { AnyOwnerCalls } from "./owner-calls.ts";
import { OwnerMenu } from "./owner-menu.tsx";

interface Listed {
  readonly id: string;
  readonly name: string;
  readonly destination: DestinationView | null;
}

interface Props<Answer, Row> {
  readonly calls: AnyOwnerCalls;
  readonly query: UseQueryResult<Answer>;
  readonly toRows: (answer: Answer) => readonly Row[];
  readonly icon: LucideIcon;
  /** Where there are none yet: what one does. */
  readonly about: ReactNode;
  /** The line below its name. */
  readonly describe: (row: Row) => string;
  readonly idleWord: (row: Row) => string | null;
}

export function OwnerListPage<Answer, Row extends Listed>(props: Props<Answer, Row>) {
  const { calls, query, toRows, icon, about, describe } = props;
  const { label, noun, page } = calls;
  const rows = query.data === undefined ? [] : toRows(query.data);
  return (
    <Page
      title={`${label}s`}
      section="Settings"
      actions={rows.length > 0 && <Create {...{ noun, page }} label={`Create ${noun}`} />}
    >
      <Card isFlush>
        <Loaded what={`the ${noun}s`} query={query}>
          {() =>
            rows.length === 0 ? (
              <EmptyState
                icon={icon}
                title={`No ${noun}s yet`}
                action={<Create {...{ noun, page }} label={`Create the first ${noun}`} />}
              >
                {about}
              </EmptyState>
            ) : (
              <NarrowedList
                what={`${noun}s`}
                columns={columns(props)}
                rows={rows.map((row) => ({ ...row, words: describe(row) }))}
                toKey={({ id }) => id}
                toHref={({ id }) => `${page}/${id}`}
                toOwner={({ id }) => ({ kind: noun, id })}
              />
            )
          }
        </Loaded>
      </Card>
    </Page>
  );
}

function columns<Row extends Listed>({
  calls,
  describe,
  idleWord,
}: Pick<Props<unknown, Row>, "calls" | "describe" | "idleWord">): readonly Column<Row>[] {
  return [
    {
      id: "name",
      header: calls.label,
      isMain: true,
      className: "as-table:w-3/10 as-cards:pr-14!",
      cell: (row) => (
        <>
          <span className="block [overflow-wrap:anywhere]">{row.name}</span>
          <span className="block text-sm font-normal text-ink-soft [overflow-wrap:anywhere]">{describe(row)}</span>
          <Tags tags={row.destination?.tags} />
        </>
      ),
    },
    // Cuts what is longer, so that the name beside it keeps its place.
    ...destinationColumns<Row>({ idleWord, className: "as-table:w-3/10 as-table:max-w-0" }),
    {
      id: "menu",
      header: "Actions",
      align: "end",
      inCard: "bare",
      // Beside the name, so that a row on a phone is as low as it can be.
      className: "as-cards:absolute as-cards:top-1.5 as-cards:right-0",
      cell: (row) => <OwnerMenu owner={row} calls={calls} />,
    },
  ];
}

interface CreateProps {
  readonly noun: string;
  readonly page: string;
  readonly label: string;
}

function Create({ noun, page, label }: CreateProps) {
  const ownersOnly = useOwnersOnly(`create ${noun}s`);
  if (ownersOnly !== undefined) {
    return (
      <Button tone="primary" icon={<Plus />} disabledReason={ownersOnly}>
        {label}
      </Button>
    );
  }
  return (
    <LinkButton href={`${page}/new`} tone="primary" icon={<Plus />}>
      {label}
    </LinkButton>
  );
}
