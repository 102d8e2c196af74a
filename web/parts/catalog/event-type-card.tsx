/** One event type: when it is sent, who gets it, its fields, and sample, schema and type to copy. */
import clsx from "clsx";
import { Fragment } from "react";
import type { EventTypeView, FieldView } from "../../../src/dashboard/contract/catalog.ts";
import { OWNER_NOUNS, type OwnerKind, ownerPage } from "../../../src/domain/event.ts";
import { Badge } from "../../ui/chips.tsx";
import { Card } from "../../ui/card.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { JsonView } from "../../ui/json-view.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Summary } from "../../ui/fold.tsx";
import { TextLink } from "../../ui/links.tsx";
import { count, shortened } from "../../words.ts";
import { eventWords } from "../event-words.ts";
import { useOwnerMarks } from "../tell-apart.ts";

export function EventTypeCard({ event }: { readonly event: EventTypeView }) {
  return (
    <div className="space-y-5">
      <div className="max-w-prose [overflow-wrap:anywhere]">
        <p>{event.description}</p>
        <UsedBy event={event} />
      </div>
      <div className="grid grid-cols-1 items-start gap-5 xl:grid-cols-[minmax(0,5fr)_minmax(0,3fr)]">
        <Card title="Fields" isFlush>
          <DataTable
            caption={`Fields of ${event.type}`}
            columns={COLUMNS}
            rows={event.fields}
            toKey={({ path }) => path}
            isSlim
          />
        </Card>
        <Card title="To copy" className="xl:sticky xl:top-7">
          <Tabs label={`Sample and schema of ${event.type}`} tabs={copies(event)} />
        </Card>
      </div>
    </div>
  );
}

const COLUMNS: readonly Column<FieldView>[] = [
  {
    id: "path",
    header: "Field",
    isMain: true,
    className: "as-table:w-46",
    cell: ({ path }) => <FieldName path={path} />,
  },
  // As narrow as its words: the meaning has the rest.
  { id: "type", header: "Type", className: "as-table:w-px", cell: ({ type }) => <Badge>{type}</Badge> },
  {
    id: "meaning",
    header: "Meaning",
    inCard: "bare",
    cell: ({ description, example }) => (
      <>
        <span className="block text-ink-soft">{description}</span>
        <code className="block text-sm text-ink-faint [overflow-wrap:anywhere]">
          {shortened(example, EXAMPLE_CHARS_MAX)}
        </code>
      </>
    ),
  },
];

/** A nested field stands below its object, indented; its whole path is read out and shown on hover. */
function FieldName({ path }: { readonly path: string }) {
  const [parent, name = path] = /^(.*)\.([^.]+)$/.exec(path)?.slice(1) ?? [];
  return (
    <code
      title={path}
      className={clsx("inline-block [overflow-wrap:anywhere]", parent !== undefined && "as-table:pl-4")}
    >
      {parent !== undefined && <span className="sr-only as-cards:not-sr-only">{parent}.</span>}
      {name.split(/(?<=_)/).map((part, place) => (
        // A name that is too long ends its line after an underscore.
        <Fragment key={place}>
          {place > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </code>
  );
}

const EXAMPLE_CHARS_MAX = 80;

function copies({ sample, jsonSchema, typescript }: EventTypeView) {
  return [
    { id: "sample", label: "Sample", content: <JsonView label="Sample body" text={sample} /> },
    {
      id: "schema",
      label: "JSON Schema",
      content: <JsonView label="JSON Schema" text={JSON.stringify(jsonSchema, null, 2)} />,
    },
    { id: "typescript", label: "TypeScript", content: <CodeBlock label="TypeScript type" code={typescript} /> },
  ] as const;
}

const NAMED_MAX = 3;

function UsedBy({ event: { usedBy, type } }: { readonly event: EventTypeView }) {
  const marks = useOwnerMarks();
  if (usedBy.length === 0) {
    const { who, href, place } = SENDERS[eventWords(type).owners[0] ?? "webhook"];
    return (
      <p className="mt-1 text-ink-soft">
        Nothing sends it yet. {who} send it: <TextLink href={href}>see {place}</TextLink>.
      </p>
    );
  }
  const kinds = Object.entries(Object.groupBy(usedBy, ({ kind }) => OWNER_NOUNS[kind]));
  const counted = kinds.map(([noun, owners = []]) => count(owners.length, noun)).join(" and ");
  return (
    // One or two are said at a glance; sixty would push the fields off the screen.
    <details open={usedBy.length <= NAMED_MAX} className="group text-ink-soft">
      <Summary>Sent by {counted}</Summary>
      <ul className="max-h-96 space-y-1 overflow-y-auto [overflow-wrap:anywhere]">
        {usedBy.map((owner) => (
          <li key={owner.id}>
            <TextLink href={ownerPage(owner)}>{owner.name}</TextLink>
            {marks.get(`${owner.kind} ${owner.id}`)}
          </li>
        ))}
      </ul>
    </details>
  );
}

const SENDERS: Readonly<Record<OwnerKind, { readonly who: string; readonly href: string; readonly place: string }>> = {
  alert: { who: "Alerts", href: "/settings/alerts", place: "Alerts" },
  assistant: { who: "Chat assistants", href: "/assistants", place: "Assistants" },
  webhook: { who: "Webhooks", href: "/settings/webhooks", place: "Webhooks" },
};
