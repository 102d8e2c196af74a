/** Records that the product committed and that could not become events: that there are some, and each by itself. */
import type { RefusedRecord } from "../../../src/dashboard/contract/catalog.ts";
import { useAnswer } from "../../query.ts";
import { Banner } from "../../ui/banner.tsx";
import { LinkButton } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { JsonView } from "../../ui/json-view.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { count } from "../../words.ts";
import { sourceWord } from "../event-words.ts";

export function RefusedBanner() {
  const { data } = useAnswer("GET /refused-records", { query: {} });
  if (data === undefined || data.records.length === 0) return null;
  const records = count(data.records.length, "record");
  return (
    <Banner
      tone="warn"
      title={`${data.nextCursor === null ? records : `More than ${records}`} of your product could not become events`}
      actions={
        <LinkButton size="sm" href="/refused-records">
          See why
        </LinkButton>
      }
    >
      Your product committed them, but nothing was sent for them.
    </Banner>
  );
}

/* One refused record: what is wrong with it, field by field, and the record itself. */

export function RefusedRecordCard({ refused }: { readonly refused: RefusedRecord }) {
  const { id, type, title, detail, fields, emittedAtMs } = refused;
  return (
    <Card
      title={`${title} (${sourceWord(type)} ${id})`}
      description={<RelativeTime atMs={emittedAtMs} prefix="Emitted" />}
    >
      <div className="space-y-4">
        {fields.length === 0 ? <p>{detail}</p> : <Fields fields={fields} />}
        <Record refused={refused} />
      </div>
    </Card>
  );
}

function Fields({ fields }: Pick<RefusedRecord, "fields">) {
  return (
    <ul className="list-disc space-y-1 pl-5">
      {fields.map(({ path, message }) => (
        <li key={`${path} ${message}`} className="[overflow-wrap:anywhere]">
          <code className="font-medium text-ink">{path === "" ? "The record" : path}</code> {message}
        </li>
      ))}
    </ul>
  );
}

function Record({ refused: { id, record, isRecordCut } }: { readonly refused: RefusedRecord }) {
  if (record === null) return <p className="text-ink-soft">The record is older than its retention and was deleted.</p>;
  if (isRecordCut) return <CodeBlock label={`Beginning of record ${id}`} code={record} isWrapped />;
  return <JsonView label={`Record ${id}`} text={record} />;
}
